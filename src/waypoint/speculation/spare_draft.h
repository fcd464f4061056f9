// SpareDraft: the next checkpoint's directory, made ahead of time. Creating files takes longer than
// writing them. Thread-safe.
#pragma once

#include <mutex>
#include <optional>

#include "waypoint/checkpoint_store.h"

namespace sf::waypoint {

class SpareDraft {
 public:
  explicit SpareDraft(CheckpointStore& store) : store_(store) {}

  // The spare one, or one that is made now.
  Result<CheckpointDraft> take();
  // Has a spare one. Where that fails there is none, and take() says why.
  void make();

 private:
  CheckpointStore& store_;
  std::mutex mutex_;
  std::optional<CheckpointDraft> draft_;  // guarded by mutex_
};

}  // namespace sf::waypoint
