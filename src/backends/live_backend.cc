#include "backends/live_backend.h"

#include <algorithm>
#include <utility>

#include "backends/branch_settings.h"
#include "base/request_limits.h"
#include "base/scope_exit.h"
#include "shell/branch_files.h"

namespace sf::backends {

using control::BranchHandle;
using control::PhysicalRef;
using waypoint::BranchInfo;
using waypoint::BranchPids;
using waypoint::CheckpointInfo;

namespace {

using WpBranch = waypoint::BranchId;

WpBranch id_of(const BranchHandle& branch) { return WpBranch(branch.value()); }

std::string root_of(const BranchPids& pids) {
  return "/proc/" + std::to_string(pids.init) + "/root";
}

}  // namespace

Result<LiveBackend::Talk> LiveBackend::talk(const BranchHandle& branch) {
  SF_TRY_ASSIGN(waypoint::ShellClient shell, waypoint_->shell(id_of(branch)));
  return Talk{std::move(shell)};
}

Error LiveBackend::explain(const BranchHandle& branch, Error error) {
  if (error.code != ErrorCode::kNotFound) return error;
  for (const BranchInfo& info : waypoint_->branches()) {
    if (info.id.value() == branch.value()) return error;  // another object was not found
  }
  error.code = ErrorCode::kSessionLost;
  return error;
}

Result<control::Checkpoint> LiveBackend::checkpoint_of(const BranchHandle& branch,
                                                       Result<CheckpointInfo> taken) {
  if (!taken) return explain(branch, std::move(taken).error());
  return control::Checkpoint{.ref = PhysicalRef(taken->id.value()),
                             .bytes = taken->image_bytes,
                             .facts = taken->facts,
                             .took = taken->took,
                             .stopped = taken->stopped,
                             .unchanged = taken->base.has_value(),
                             .precaptured = taken->precaptured};
}

Result<BranchHandle> LiveBackend::handle_of(Result<WpBranch> made) {
  if (!made) return std::move(made).error();
  return BranchHandle(made->value());
}

Result<BranchPids> LiveBackend::pids(const BranchHandle& branch) {
  auto found = waypoint_->pids(id_of(branch));
  if (!found) return explain(branch, std::move(found).error());
  return found;
}

waypoint::BranchConfig LiveBackend::config_of(const BranchHandle& branch) const {
  for (BranchInfo& info : waypoint_->branches()) {
    if (info.id.value() == branch.value()) return std::move(info.config);
  }
  return {};
}

control::StartConfig LiveBackend::with_defaults(control::StartConfig config) const {
  return with_own_limits(std::move(config));
}

Result<BranchHandle> LiveBackend::start(const control::StartConfig& config) {
  SF_TRY_ASSIGN(waypoint::BranchConfig branch, branch_config(config, std::string(name())));
  return handle_of(waypoint_->start(branch));
}

Status LiveBackend::remove(const PhysicalRef& ref) {
  Status removed = waypoint_->remove(waypoint::CheckpointId(ref.value()));
  if (!removed && removed.error().code == ErrorCode::kNotFound) return Ok{};
  return removed;
}

Status LiveBackend::end(const BranchHandle& branch) {
  Status ended = waypoint_->end(id_of(branch));
  if (!ended && ended.error().code == ErrorCode::kNotFound) return Ok{};
  return ended;
}

Status LiveBackend::retire(const BranchHandle& branch) {
  Status retired = waypoint_->retire(id_of(branch));
  if (!retired && retired.error().code == ErrorCode::kNotFound) return Ok{};
  return retired;
}

Status LiveBackend::resize(const BranchHandle& branch, std::uint16_t rows, std::uint16_t cols) {
  Status done = waypoint_->resize(id_of(branch), {rows, cols});
  if (!done) return explain(branch, std::move(done).error());
  return done;
}

Result<WindowSize> LiveBackend::window(const BranchHandle& branch) {
  auto window = waypoint_->window(id_of(branch));
  if (!window) return explain(branch, std::move(window).error());
  return window;
}

Result<std::string> LiveBackend::digest(const BranchHandle& branch,
                                        const std::optional<PhysicalRef>& since,
                                        const control::DigestBudget& budget) {
  waypoint::DigestRequest wanted;
  wanted.limits = {.files = preserves().has(control::Preserves::kFiles),
                   .shell = preserves().has(control::Preserves::kShell),
                   .max_files = budget.files,
                   .max_bytes = budget.bytes,
                   .max_time = budget.time};
  if (since) wanted.since = waypoint::CheckpointId(since->value());
  auto digest = waypoint_->digest(id_of(branch), wanted);
  if (!digest) return explain(branch, std::move(digest).error());
  return digest;
}

Result<std::string> LiveBackend::read_file(const BranchHandle& branch, const std::string& path,
                                           std::size_t max_bytes) {
  SF_TRY_ASSIGN(BranchPids found, pids(branch));
  return waypoint::read_branch_file(root_of(found), path, std::min(max_bytes, kMaxFileRead));
}

Result<control::BackendUsage> LiveBackend::usage() {
  control::BackendUsage usage;
  for (const CheckpointInfo& info : waypoint_->checkpoints()) {
    if (info.label != name()) continue;
    usage.bytes += info.image_bytes;
    usage.physical_snapshots += 1;
  }
  for (const BranchInfo& info : waypoint_->branches())
    usage.live_branches += info.config.label == name() && info.alive ? 1 : 0;
  return usage;
}

std::vector<control::PhysicalRef> LiveBackend::ready() const {
  std::vector<control::PhysicalRef> all;
  for (const waypoint::CheckpointId& id : waypoint_->ready()) all.emplace_back(id.value());
  return all;
}

Result<control::Inventory> LiveBackend::inventory() {
  control::Inventory all;
  for (const CheckpointInfo& info : waypoint_->checkpoints()) {
    if (info.label == name()) all.physical.emplace_back(info.id.value());
  }
  for (const BranchInfo& info : waypoint_->branches()) {
    if (info.config.label != name()) continue;
    if (info.alive) {
      all.live.emplace_back(info.id.value());
    } else {
      SF_TRY(end(BranchHandle(info.id.value())));  // a dead branch is in no inventory
    }
  }
  return all;
}

}  // namespace sf::backends
