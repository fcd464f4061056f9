// TerminalWatch: a stream of the output of a branch's terminal. A watcher that does not keep up is
// disconnected (kSessionLost) and may reconnect. Not thread-safe.
#pragma once

#include <optional>
#include <utility>

#include "base/terminal_view.h"
#include "wire/keeper_client.h"

namespace sf::waypoint {

class TerminalWatch final : public TerminalFeed {
 public:
  explicit TerminalWatch(KeeperStream stream) : stream_(std::move(stream)) {}
  Result<std::optional<TerminalPiece>> next(Deadline deadline) override {
    SF_TRY_ASSIGN(std::optional<wire::Frame> frame, stream_.next(deadline));
    if (!frame) return std::optional<TerminalPiece>();
    SF_TRY_ASSIGN(TerminalPiece piece, wire::from_frame<TerminalPiece>(std::move(*frame)));
    return std::optional(std::move(piece));
  }

 private:
  KeeperStream stream_;
};

}  // namespace sf::waypoint
