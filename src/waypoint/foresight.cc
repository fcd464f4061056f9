#include "waypoint/foresight.h"

#include <algorithm>

namespace sf::waypoint {
namespace {

constexpr auto kBringTime = seconds(20);
constexpr auto kWholeTime = seconds(120);      // that, and starting and ending its keeper
constexpr auto kTakeTime = milliseconds(500);  // then one does it oneself
constexpr auto kQuiet = milliseconds(100);
constexpr int kFullTrust = 8;

}  // namespace

Foresight::Foresight(KeeperPool& pool, std::size_t most)
    : pool_(pool), most_(most), trust_(kFullTrust) {}

Foresight::Trees::iterator Foresight::find(const std::string& checkpoint) {
  return std::ranges::find(trees_, checkpoint, &Tree::checkpoint);
}

void Foresight::expect(const std::string& checkpoint, wire::Frame request) {
  if (most_ == 0) return;
  long turn = 0;
  {
    std::lock_guard lock(mutex_);
    turn = ++turn_;
    auto known = find(checkpoint);
    if (known != trees_.end()) {
      trees_.splice(trees_.begin(), trees_, known);
    } else {
      request.header["ahead"] = true;
      trees_.push_front(
          {checkpoint, std::move(request), trust_ > 0 ? Stage::kWanted : Stage::kRemembered});
      keep_most();
    }
  }
  pool_.later([this, turn] { bring_wanted(turn); }, kQuiet);
}

// Whoever asks again and again without a pause would find keepers and processors taken.
void Foresight::bring_wanted(long turn) {
  std::vector<std::string> wanted;
  {
    std::lock_guard lock(mutex_);
    if (turn != turn_) return;
    for (const Tree& tree : trees_)
      if (tree.stage == Stage::kWanted) wanted.push_back(tree.checkpoint);
  }
  for (const std::string& checkpoint : wanted) bring(checkpoint);
}

// Those that were expected longest ago give way; one that is being made comes to its end first.
void Foresight::keep_most() {
  auto tree = trees_.begin();
  for (std::size_t place = 0; tree != trees_.end(); ++place) {
    if (place < most_ || tree->stage == Stage::kComing) {
      ++tree;
      continue;
    }
    give_up(*tree);
    tree = trees_.erase(tree);
  }
}

void Foresight::give_up(Tree& tree) {
  if (tree.stage != Stage::kReady) return;
  pool_.retire(std::move(tree.keeper));
  trust_ = std::max(0, trust_ - 1);
}

void Foresight::bring(const std::string& checkpoint) {
  wire::Frame request;
  {
    std::lock_guard lock(mutex_);
    auto tree = find(checkpoint);
    if (tree == trees_.end() || tree->stage != Stage::kWanted) return;
    tree->stage = Stage::kComing;
    request = tree->request;
  }
  auto keeper = pool_.take_now({});
  // A tree that cannot be made ahead is made when it is wanted, and then says why not.
  bool ready = keeper && keeper->client->call(request, Deadline::after(kBringTime));
  if (keeper && !ready) pool_.retire(*keeper);
  pool_.refill();
  std::lock_guard lock(mutex_);
  auto tree = find(checkpoint);
  if (ready) {
    tree->stage = Stage::kReady;
    tree->keeper = std::move(*keeper);
  } else {
    trust_ = std::max(0, trust_ - 1);
    trees_.erase(tree);
  }
  keep_most();
  changed_.notify_all();
}

std::optional<Foresight::Tree> Foresight::remove(std::unique_lock<std::mutex>& lock,
                                                 std::string checkpoint, microseconds patience) {
  auto tree = trees_.end();
  bool settled = changed_.wait_for(lock, patience, [&] {
    tree = find(checkpoint);
    return tree == trees_.end() || tree->stage != Stage::kComing;
  });
  if (!settled || tree == trees_.end()) return std::nullopt;
  Tree removed = std::move(*tree);
  trees_.erase(tree);
  return removed;
}

std::optional<KeeperHandle> Foresight::take(const std::string& checkpoint) {
  std::unique_lock lock(mutex_);
  auto tree = remove(lock, checkpoint, kTakeTime);
  if (!tree) return std::nullopt;
  trust_ = kFullTrust;
  if (tree->stage != Stage::kReady) return std::nullopt;
  return std::move(tree->keeper);
}

void Foresight::forget(const std::string& checkpoint) {
  std::unique_lock lock(mutex_);
  auto tree = remove(lock, checkpoint, kWholeTime);
  if (tree) give_up(*tree);
}

std::vector<std::string> Foresight::ready() {
  std::lock_guard lock(mutex_);
  std::vector<std::string> all;
  for (const Tree& tree : trees_)
    if (tree.stage == Stage::kReady) all.push_back(tree.checkpoint);
  return all;
}

void Foresight::clear() {
  std::unique_lock lock(mutex_);
  while (!trees_.empty()) {
    auto tree = remove(lock, trees_.front().checkpoint, kWholeTime);
    if (tree) give_up(*tree);
  }
  lock.unlock();
  pool_.settle();  // no work that knows of this object is left
}

}  // namespace sf::waypoint
