#include "waypoint/speculation/spare_draft.h"

namespace sf::waypoint {

Result<CheckpointDraft> SpareDraft::take() {
  {
    std::lock_guard lock(mutex_);
    if (draft_) {
      CheckpointDraft draft = std::move(*draft_);
      draft_.reset();
      return draft;
    }
  }
  return store_.begin();
}

void SpareDraft::make() {
  {
    std::lock_guard lock(mutex_);
    if (draft_) return;
  }
  auto draft = store_.begin();
  std::lock_guard lock(mutex_);
  if (draft && !draft_) draft_.emplace(std::move(*draft));
}

}  // namespace sf::waypoint
