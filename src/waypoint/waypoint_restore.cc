// Restore and fork: restore a checkpoint's tree in a new keeper and publish it as a branch.
// README.md has the order of the steps and the reasons.
#include <algorithm>
#include <atomic>
#include <future>

#include "base/request_limits.h"
#include "base/scope_exit.h"
#include "os/host_info.h"
#include "os/process.h"
#include "shell/fresh_id.h"
#include "waypoint/keeper/keeper_resources.h"
#include "waypoint/waypoint_impl.h"

namespace sf::waypoint {
namespace {

constexpr auto kResumeTime = std::chrono::minutes(15);  // it may load many gigabytes
constexpr std::size_t kForksAtOnce = 4;

}  // namespace

using wire::Frame;

Result<BranchId> Waypoint::Impl::restore(const BranchId& branch, const CheckpointId& checkpoint,
                                         const RestoreOptions& options) {
  pool_.wait_for_retired();
  std::string file_layer;
  if (auto other = branches_.find(options.files_of))
    file_layer = live_file_layer(other->record.keeper);
  if (options.old == OldBranch::kKept)
    return restore_as(BranchId(fresh_id("b")), checkpoint, file_layer);
  SF_TRY_ASSIGN(BranchTable::Claim old, branches_.claim(branch));
  SF_TRY(restore_as(branch, checkpoint, file_layer));
  end_later(old.live);
  SF_TRY(options_.faults.at("restore.after_swap"));
  return branch;
}

Result<BranchId> Waypoint::Impl::restore_as(const BranchId& branch, const CheckpointId& checkpoint,
                                            const std::string& file_layer, Spares spares) {
  ++branches_without_capture_;
  Manifest manifest;
  {
    std::lock_guard lock(mutex_);
    SF_TRY_ASSIGN(manifest, checkpoints_.load(checkpoint));
  }
  SF_TRY(check_restorable(manifest, os::boot_id()));
  std::optional<Occupied> occupied;
  if (file_layer.empty()) occupied = foreseen(checkpoint);
  if (!occupied) {
    SF_TRY_ASSIGN(occupied, occupy_keeper(restore_request(manifest, file_layer, When::kWanted),
                                          manifest.config.network, manifest.engine, spares));
  }
  SF_TRY(publish(*occupied, branch, manifest.config, checkpoint));
  if (file_layer.empty()) expect(checkpoint, manifest);
  return branch;
}

void Waypoint::Impl::end_later(const LiveRecord& live) {
  live.client->hang_up();
  pool_.retire({live.record.keeper, live.client});
}

Frame Waypoint::Impl::restore_request(const Manifest& manifest, const std::string& file_layer,
                                      When when) const {
  return wire::to_frame(wire::RestoreCall{
      .config = to_json(manifest.config),
      .file_layer = file_layer.empty() ? sealed_file_layer(source_of(manifest.info)) : file_layer,
      .image_dir = checkpoints_.image_dir(source_of(manifest.info)),
      .engine = manifest.engine,
      .state = to_json(manifest.state),
      .terminal = terminal_bytes(manifest.state),
      .prerestore = when == When::kPrerestore,
      .precaptures = is_capturing() && precaptures(manifest.config),
      .faults = faults_of(when)});
}

std::optional<Waypoint::Impl::Occupied> Waypoint::Impl::foreseen(const CheckpointId& checkpoint) {
  auto keeper = prerestore_.take(checkpoint.value());
  if (!keeper) return std::nullopt;
  auto live = keeper->client->ask(wire::ResumeCall{faults_of(When::kPrerestore)},
                                  Deadline::after(kResumeTime));
  if (live) return Occupied{std::move(*keeper), *live};
  pool_.retire(std::move(*keeper));  // it was killed while it waited
  return std::nullopt;
}

void Waypoint::Impl::expect(const CheckpointId& checkpoint, const Manifest& manifest) {
  if (manifest.engine == kNativeName && manifest.config.network == Network::kNone)
    prerestore_.expect(checkpoint.value(), restore_request(manifest, {}, When::kPrerestore));
}

std::vector<Result<BranchId>> Waypoint::Impl::fork(const CheckpointId& checkpoint,
                                                   std::size_t count) {
  std::vector<Result<BranchId>> forks;
  if (count == 0 || count > kMaxForks) {
    forks.emplace_back(
        invalid("the count of a fork must be from 1 to " + std::to_string(kMaxForks)));
    return forks;
  }
  if (count == 1) {
    forks.push_back(restore_as(BranchId(fresh_id("b")), checkpoint, {}));
    return forks;
  }
  std::vector<std::optional<Result<BranchId>>> made(count);
  std::atomic<std::size_t> next = 0;
  auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++)
      made[i] = restore_as(BranchId(fresh_id("b")), checkpoint, {}, Spares::kIfReady);
  };
  {
    std::vector<std::future<void>> workers;  // the destructor waits for all of them
    while (workers.size() < std::min(count, kForksAtOnce))
      workers.push_back(std::async(std::launch::async | std::launch::deferred, work));
    for (auto& worker : workers) worker.get();
  }
  pool_.expect(count);
  pool_.refill();
  for (auto& each : made) forks.push_back(std::move(*each));
  return forks;
}

Status Waypoint::Impl::retire(const BranchId& branch) {
  {
    SF_TRY_ASSIGN(BranchTable::Claim claim, branches_.claim(branch));
    if (claim.live.record.config.network != Network::kHost) {
      SF_TRY(branches_.remove(branch));
      end_later(claim.live);
      return Ok{};
    }
  }
  return end(branch);
}

}  // namespace sf::waypoint
