// watch(): the output of a branch's terminal, across restores.
#include <optional>
#include <utility>

#include "control/session_manager.h"

namespace sf::control {

class SessionManager::Feed final : public TerminalFeed {
 public:
  Feed(SessionManager& session, BranchId branch) : session_(session), branch_(std::move(branch)) {}

  Result<std::optional<TerminalPiece>> next(Deadline deadline) override {
    for (;;) {
      if (!feed_) SF_TRY(open());
      Result<std::optional<TerminalPiece>> piece = feed_->next(deadline);
      if (piece.ok() && *piece) (*piece)->is_restored = std::exchange(restored_, false);
      if (piece.ok() || piece.error().code != ErrorCode::kSessionLost) return piece;
      feed_.reset();  // After a restore, or if the caller was too slow, the next feed repaints.
                      // After the branch's end, it cannot be opened.
    }
  }

  Status open() {
    SF_TRY_ASSIGN(BranchHandle handle, session_.live_handle(branch_));
    SF_TRY_ASSIGN(feed_, session_.backend_.watch(handle));
    restored_ = restored_ || (handle_ && *handle_ != handle);
    handle_ = handle;
    return Ok{};
  }

 private:
  SessionManager& session_;
  BranchId branch_;
  std::unique_ptr<TerminalFeed> feed_;
  std::optional<BranchHandle> handle_;  // of feed_: a restore gives the branch another one
  bool restored_ = false;               // the next piece reports a restore
};

Result<std::unique_ptr<TerminalFeed>> SessionManager::watch(const BranchId& branch) {
  if (!capabilities_.terminal)
    return fail(ErrorCode::kUnsupported,
                "backend " + std::string(backend_.name()) + " has no terminal",
                "use another backend for the session");
  auto feed = std::make_unique<Feed>(*this, branch);
  SF_TRY(feed->open());
  return std::unique_ptr<TerminalFeed>(std::move(feed));
}

}  // namespace sf::control
