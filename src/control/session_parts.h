// RAII types of the session's operations. Private to session_*.cc.
#pragma once

#include <utility>

#include "control/session_manager.h"

namespace sf::control {

class SessionManager::Pin {
 public:
  // Requires: session.mutex_ is held here, and is not held in the destructor.
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
  void release() { session_ = nullptr; }  // called when a record names the branch

 private:
  SessionManager* session_;
  BranchHandle handle_;
};

// A live copy of a node's state.
struct SessionManager::RestoredCopy {
  LiveCopy copy;
  std::vector<Divergence> accepted = {};
  std::string unproven = {};      // RestoreReport::unproven
  bool saw_whole_outputs = true;  // every output was compared in full
  bool is_new_start = false;      // a new start, as a replay also begins

  bool is_proven() const { return accepted.empty() && unproven.empty(); }
  // The entry for the branch's log if the copy is not proven: from then on only a physical node can
  // restore this state. A backend without snapshots has no better proof than equal outputs.
  std::optional<LogEntry> doubt(const Capabilities& backend) const {
    if (is_proven() || (accepted.empty() && (is_new_start || !backend.physical_snapshots)))
      return std::nullopt;
    return unproven_entry(accepted.empty() ? "was compared by its outputs alone"
                                           : "differed from its node, which was accepted");
  }
};

}  // namespace sf::control
