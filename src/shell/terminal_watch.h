// TerminalWatch: what a branch's terminal prints, as it comes. A watcher that does not keep up is
// dropped (kSessionLost) and may come back. Not thread-safe.
#pragma once

#include <optional>
#include <string>

#include "terminal/screen.h"
#include "wire/keeper_client.h"

namespace sf::waypoint {

struct TerminalPiece {
  std::string bytes;
  // Set where the bytes paint all of a cleared terminal of this size: at first, and after a resize.
  std::optional<WindowSize> repaints;
};

class TerminalWatch {
 public:
  explicit TerminalWatch(KeeperStream stream) : stream_(std::move(stream)) {}
  // Nothing: none before the deadline. kSessionLost: the branch is gone.
  Result<std::optional<TerminalPiece>> next(Deadline deadline);

 private:
  KeeperStream stream_;
};

wire::Frame terminal_frame(TerminalPiece piece);

}  // namespace sf::waypoint
