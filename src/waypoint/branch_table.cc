#include "waypoint/branch_table.h"

namespace sf::waypoint {

Status BranchTable::load(
    const Look& look,
    const std::function<std::shared_ptr<KeeperClient>(const std::string&)>& connect) {
  SF_TRY_ASSIGN(std::vector<BranchRecord> records, records_.load_all());
  for (BranchRecord& record : records) {
    LiveRecord live{std::move(record), nullptr};
    live.client = connect(live.record.keeper);
    SF_TRY_ASSIGN(std::optional<WindowSize> window, look(live));
    if (!window) {
      SF_TRY(records_.remove(live.record.id));
      continue;
    }
    std::lock_guard lock(mutex_);
    BranchId id = live.record.id;
    entries_[id].live = std::move(live);
    entries_[id].window = *window;
  }
  return Ok{};
}

Result<LiveRecord> BranchTable::find(const BranchId& branch) const {
  std::lock_guard lock(mutex_);
  auto found = entries_.find(branch);
  if (found == entries_.end())
    return fail(ErrorCode::kNotFound, "no such live branch: " + branch.value());
  return found->second.live;
}

Result<WindowSize> BranchTable::window(const BranchId& branch) const {
  std::lock_guard lock(mutex_);
  auto found = entries_.find(branch);
  if (found == entries_.end())
    return fail(ErrorCode::kNotFound, "no such live branch: " + branch.value());
  return found->second.window;
}

void BranchTable::set_window(const BranchRecord& record, WindowSize window) {
  std::lock_guard lock(mutex_);
  auto found = entries_.find(record.id);
  if (found != entries_.end() && found->second.live.record.keeper == record.keeper)
    found->second.window = window;
}

std::vector<LiveRecord> BranchTable::list() const {
  std::lock_guard lock(mutex_);
  std::vector<LiveRecord> all;
  for (const auto& [id, entry] : entries_) all.push_back(entry.live);
  return all;
}

Result<BranchTable::Claim> BranchTable::claim(const BranchId& branch) {
  Claim claim;
  {
    std::lock_guard lock(mutex_);
    if (auto found = entries_.find(branch); found != entries_.end())
      claim.mutex = found->second.changing;
  }
  if (claim.mutex) claim.lock = std::unique_lock(*claim.mutex);
  // Look up the record after the wait: another caller may have replaced or ended its keeper
  // meanwhile.
  SF_TRY_ASSIGN(claim.live, find(branch));
  return claim;
}

Status BranchTable::publish(const LiveRecord& live) {
  SF_TRY(records_.publish(live.record));
  std::lock_guard lock(mutex_);
  entries_[live.record.id].live = live;
  return Ok{};
}

Status BranchTable::publish(const LiveRecord& live, WindowSize window) {
  SF_TRY(records_.publish(live.record));
  std::lock_guard lock(mutex_);
  Entry& entry = entries_[live.record.id];
  entry.live = live;
  entry.window = window;
  return Ok{};
}

Status BranchTable::remove(const BranchId& branch) {
  SF_TRY(records_.remove(branch));
  std::lock_guard lock(mutex_);
  entries_.erase(branch);
  return Ok{};
}

}  // namespace sf::waypoint
