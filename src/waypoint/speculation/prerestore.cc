#include "waypoint/speculation/prerestore.h"

#include "base/scope_exit.h"

namespace sf::waypoint {
namespace {

constexpr auto kBringTime = seconds(20);
constexpr auto kWholeTime = seconds(120);      // includes the start and end of its keeper
constexpr auto kTakeTime = milliseconds(500);  // afterwards the caller restores it itself
constexpr auto kQuiet = milliseconds(100);

}  // namespace

void Prerestore::expect(const std::string& checkpoint, wire::Frame request) {
  if (most_ == 0) return;
  long turn = 0;
  {
    std::lock_guard lock(mutex_);
    trees_.try_emplace(checkpoint, Tree{std::move(request)});
    retire(plan_.expect(checkpoint));
    turn = plan_.turn();
  }
  pool_.later([this, turn] { bring(turn); }, kQuiet);
}

void Prerestore::bring(long turn) {
  std::unique_lock lock(mutex_);
  while (auto checkpoint = plan_.begin(turn)) {
    const wire::Frame request = trees_.at(*checkpoint).request;
    lock.unlock();
    auto keeper = bring_one(request);
    lock.lock();
    if (keeper) {
      trees_.at(*checkpoint).keeper = std::move(*keeper);
      retire(plan_.made(*checkpoint));
    } else if (keeper.error().code == ErrorCode::kUnsupported) {
      retire(plan_.refused(*checkpoint));
    } else {
      plan_.failed(*checkpoint);
      trees_.erase(*checkpoint);
    }
    changed_.notify_all();
  }
}

// Errors are not reported: a later restore of the checkpoint fails with the same error.
Result<KeeperHandle> Prerestore::bring_one(const wire::Frame& request) {
  ScopeExit refill([&] { pool_.refill(); });
  SF_TRY_ASSIGN(KeeperHandle keeper, pool_.take_now(Network::kNone, {}));
  auto stands = keeper.client->call(request, Deadline::after(kBringTime));
  if (stands) return keeper;
  pool_.retire(std::move(keeper));
  return std::move(stands).error();
}

bool Prerestore::wait_for(std::unique_lock<std::mutex>& lock, const std::string& checkpoint,
                          microseconds patience) {
  return changed_.wait_for(
      lock, patience, [&] { return plan_.stage(checkpoint) != PrerestorePolicy::Stage::kComing; });
}

std::optional<KeeperHandle> Prerestore::remove(const std::string& checkpoint) {
  auto tree = trees_.extract(checkpoint);
  return tree ? std::move(tree.mapped().keeper) : std::nullopt;
}

void Prerestore::retire(const PrerestorePolicy::Checkpoints& dropped) {
  for (const std::string& checkpoint : dropped)
    if (auto keeper = remove(checkpoint)) pool_.retire(std::move(*keeper));
}

std::optional<KeeperHandle> Prerestore::take(const std::string& checkpoint) {
  std::unique_lock lock(mutex_);
  if (!wait_for(lock, checkpoint, kTakeTime)) return std::nullopt;
  if (plan_.stage(checkpoint) == PrerestorePolicy::Stage::kRefused) return std::nullopt;
  plan_.take(checkpoint);
  return remove(checkpoint);
}

void Prerestore::forget(const std::string& checkpoint) {
  std::unique_lock lock(mutex_);
  if (!wait_for(lock, checkpoint, kWholeTime)) return;
  plan_.forget(checkpoint);
  retire({checkpoint});
}

std::vector<std::string> Prerestore::ready() {
  std::lock_guard lock(mutex_);
  return plan_.ready();
}

void Prerestore::clear() {
  for (;;) {
    std::unique_lock lock(mutex_);
    if (trees_.empty()) break;
    const std::string checkpoint = trees_.begin()->first;
    lock.unlock();
    forget(checkpoint);
  }
  pool_.settle();  // no background work refers to this object any more
}

}  // namespace sf::waypoint
