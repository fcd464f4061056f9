#include "testing/memory_catalog.h"

namespace sf::test {

using control::BranchTree;
using control::Change;
using control::Edit;
namespace edit = control::edit;

Status MemoryCatalog::append(const Change& change) {
  const std::string call = "append " + change.operation;
  if (fuse_ != nullptr) SF_TRY(fuse_->enter(call));
  {
    std::lock_guard lock(mutex_);
    BranchTree& tree = sessions_[change.session];
    SF_CHECK(tree.apply(change).ok());  // a change that contradicts the record is a bug
    for (const Edit& e : change.edits) {
      if (const auto* cost = std::get_if<edit::CostMeasured>(&e))
        costs_.push_back({cost->memory_bytes, cost->took});
    }
    tree.take_unneeded();
    if (tree.ended()) sessions_.erase(change.session);
    operations_.push_back(change.operation);
  }
  return fuse_ != nullptr ? fuse_->leave(call) : Status(Ok{});
}

std::optional<control::SessionImage> MemoryCatalog::load(const control::SessionId& id) const {
  std::lock_guard lock(mutex_);
  auto it = sessions_.find(id);
  if (it == sessions_.end()) return std::nullopt;
  return it->second.image();
}

Status MemoryCatalog::rewrite(const SessionId& id,
                              const std::function<void(SessionImage&)>& change) {
  std::lock_guard lock(mutex_);
  SessionImage image = sessions_.at(id).image();
  change(image);
  SF_TRY_ASSIGN(sessions_.at(id), BranchTree::from_image(std::move(image)));
  return Ok{};
}

std::vector<std::string> MemoryCatalog::operations() const {
  std::lock_guard lock(mutex_);
  return operations_;
}

std::vector<control::CostSample> MemoryCatalog::costs() const {
  std::lock_guard lock(mutex_);
  return costs_;
}

}  // namespace sf::test
