// SpareDraft: makes the draft of the next checkpoint ahead of time, since creating files takes
// longer than writing them. Thread-safe.
#pragma once

#include <mutex>
#include <optional>

#include "waypoint/checkpoint_store.h"

namespace sf::waypoint {

class SpareDraft {
 public:
  explicit SpareDraft(CheckpointStore& store) : store_(store) {}

  // Returns the spare draft, or makes one.
  Result<CheckpointDraft> take();
  // Makes a spare draft. Ignores failures: take() reports them.
  void make();

 private:
  CheckpointStore& store_;
  std::mutex mutex_;
  std::optional<CheckpointDraft> draft_;  // guarded by mutex_
};

}  // namespace sf::waypoint
