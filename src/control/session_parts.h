// The owners that the operations of a session work with. Private to session_*.cc.
#pragma once

#include <utility>

#include "control/session_manager.h"

namespace sf::control {

class SessionManager::Pin {
 public:
  // Requires: session.mutex_ is held. It must not be held when a pin ends.
  Pin(SessionManager& session, NodeId node) : session_(&session), node_(std::move(node)) {
    session_->pins_[node_] += 1;
  }
  Pin(Pin&& other) noexcept
      : session_(std::exchange(other.session_, nullptr)), node_(std::move(other.node_)) {}
  Pin& operator=(Pin&&) = delete;
  ~Pin() {
    if (session_ == nullptr) return;
    std::lock_guard lock(session_->mutex_);
    auto it = session_->pins_.find(node_);
    if (--it->second == 0) session_->pins_.erase(it);
  }

 private:
  SessionManager* session_;
  NodeId node_;
};

class SessionManager::LiveCopy {
 public:
  LiveCopy(SessionManager& session, BranchHandle handle)
      : session_(&session), handle_(std::move(handle)) {}
  LiveCopy(LiveCopy&& other) noexcept
      : session_(std::exchange(other.session_, nullptr)), handle_(std::move(other.handle_)) {}
  LiveCopy& operator=(LiveCopy&&) = delete;
  ~LiveCopy() {
    if (session_ != nullptr) session_->discard({handle_}, {});
  }
  const BranchHandle& handle() const { return handle_; }
  void release() { session_ = nullptr; }  // a record names it now

 private:
  SessionManager* session_;
  BranchHandle handle_;
};

// A node's state, alive again.
struct SessionManager::RestoredCopy {
  LiveCopy copy;
  std::vector<Divergence> accepted = {};
  std::string unproven = {};      // RestoreReport's
  bool saw_whole_outputs = true;  // all that was printed was compared
  bool is_new_start = false;      // a replay begins in the same way

  bool is_proven() const { return accepted.empty() && unproven.empty(); }
  // For the branch's log: from here on only a physical node leads back. Where there are no physical
  // nodes, a replay that was compared by its outputs is all there is.
  std::optional<LogEntry> doubt(const Capabilities& backend) const {
    if (is_proven() || (accepted.empty() && (is_new_start || !backend.physical_snapshots)))
      return std::nullopt;
    return unproven_entry(accepted.empty() ? "was compared by its outputs alone"
                                           : "differed from its node, which was accepted");
  }
};

}  // namespace sf::control
