#include "waypoint/speculation/prerestore_policy.h"

#include <algorithm>

#include "base/check.h"

namespace sf::waypoint {

PrerestorePolicy::Trees::iterator PrerestorePolicy::find(const std::string& checkpoint) {
  return std::ranges::find(trees_, checkpoint, &Tree::checkpoint);
}

PrerestorePolicy::Checkpoints PrerestorePolicy::expect(const std::string& checkpoint) {
  ++turn_;
  auto known = find(checkpoint);
  if (known == trees_.end())
    trees_.push_front({checkpoint});
  else
    trees_.splice(trees_.begin(), trees_, known);
  return drop_surplus();
}

std::optional<std::string> PrerestorePolicy::begin(long turn) {
  auto next = std::ranges::find(trees_, Stage::kWanted, &Tree::stage);
  if (turn != turn_ || trust_ == 0 || next == trees_.end()) return std::nullopt;
  next->stage = Stage::kComing;
  return next->checkpoint;
}

PrerestorePolicy::Checkpoints PrerestorePolicy::made(const std::string& checkpoint) {
  SF_CHECK(stage(checkpoint) == Stage::kComing);
  find(checkpoint)->stage = Stage::kReady;
  return drop_surplus();
}

void PrerestorePolicy::failed(const std::string& checkpoint) {
  SF_CHECK(stage(checkpoint) == Stage::kComing);
  drop(find(checkpoint));
}

PrerestorePolicy::Checkpoints PrerestorePolicy::refused(const std::string& checkpoint) {
  SF_CHECK(stage(checkpoint) == Stage::kComing);
  find(checkpoint)->stage = Stage::kRefused;
  return drop_surplus();
}

void PrerestorePolicy::take(const std::string& checkpoint) {
  auto tree = find(checkpoint);
  if (tree == trees_.end() || tree->stage == Stage::kRefused) return;
  SF_CHECK(tree->stage != Stage::kComing);
  trees_.erase(tree);
  trust_ = kFullTrust;
}

void PrerestorePolicy::forget(const std::string& checkpoint) {
  auto tree = find(checkpoint);
  if (tree == trees_.end()) return;
  SF_CHECK(tree->stage != Stage::kComing);
  drop(tree);
}

std::optional<PrerestorePolicy::Stage> PrerestorePolicy::stage(
    const std::string& checkpoint) const {
  auto tree = std::ranges::find(trees_, checkpoint, &Tree::checkpoint);
  if (tree == trees_.end()) return std::nullopt;
  return tree->stage;
}

PrerestorePolicy::Checkpoints PrerestorePolicy::ready() const {
  Checkpoints all;
  for (const Tree& tree : trees_)
    if (tree.stage == Stage::kReady) all.push_back(tree.checkpoint);
  return all;
}

// A tree that was only wanted or was refused has cost nothing.
void PrerestorePolicy::drop(Trees::iterator tree) {
  if (tree->stage == Stage::kComing || tree->stage == Stage::kReady)
    trust_ = std::max(0, trust_ - 1);
  trees_.erase(tree);
}

// Drops the trees that were expected longest ago. A tree that is being made is not interrupted.
PrerestorePolicy::Checkpoints PrerestorePolicy::drop_surplus() {
  Checkpoints dropped;
  std::size_t location = 0;
  for (auto tree = trees_.begin(); tree != trees_.end();) {
    auto each = tree++;
    if (location++ < most_ || each->stage == Stage::kComing) continue;
    dropped.push_back(each->checkpoint);
    drop(each);
  }
  return dropped;
}

}  // namespace sf::waypoint
