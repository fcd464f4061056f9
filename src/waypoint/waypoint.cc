#include "waypoint/waypoint.h"

#include <unistd.h>

#include "base/scope_exit.h"
#include "engine/criu/criu_binary.h"
#include "os/error.h"
#include "os/file.h"
#include "os/host_info.h"
#include "shell/fresh_id.h"
#include "waypoint/host/doctor.h"
#include "waypoint/host/host_programs.h"
#include "waypoint/keeper/keeper_resources.h"
#include "waypoint/root_template.h"
#include "waypoint/store_lock.h"
#include "waypoint/store_sweep.h"
#include "waypoint/waypoint_impl.h"
#include "waypoint/writable_file_layers.h"

namespace sf::waypoint {
namespace {

using wire::Frame;
using wire::Json;

constexpr auto kShortTimeout = milliseconds(30);      // delay of background work
constexpr auto kCallTime = std::chrono::minutes(15);  // for a capture or restore of many gigabytes

bool is_missing_path(const Error& error) {
  return error.code == ErrorCode::kNotFound || error.os_errno == ENOTDIR;
}

}  // namespace

Result<std::unique_ptr<Waypoint::Impl>> Waypoint::Impl::open(WaypointOptions options) {
  if (options.store_dir.empty() || options.store_dir[0] != '/')
    return invalid("store_dir must be an absolute path, got \"" + options.store_dir + "\"");
  SF_TRY(check_store_location(options.store_dir));
  if (::geteuid() != 0)
    return fail(ErrorCode::kUnsupported, "Waypoint needs root", "run it as root, or with sudo");
  SF_TRY(check_session_capabilities(held_capabilities()));
  SF_TRY_ASSIGN(std::string criu, find_criu(options.criu_path));
  SF_TRY_ASSIGN(Helpers helpers, find_helpers(options.helper_dir));
  Status made = os::make_directories(options.store_dir);
  if (!made) return std::move(made).error().with_hint("choose a writable store directory");
  SF_TRY_ASSIGN(options.store_dir, os::real_path(options.store_dir));
  SF_TRY(check_store_location(options.store_dir));  // the path may have been a link to /run
  SF_TRY_ASSIGN(os::UniqueFd lock, lock_store(options.store_dir));
  SF_TRY_ASSIGN(
      std::unique_ptr<FileLayerStore> file_layers,
      open_writable_file_layers(options.store_dir, options.file_layers, options.store_bytes));
  SF_TRY_ASSIGN(CheckpointStore checkpoints,
                CheckpointStore::open(options.store_dir, *file_layers));
  SF_TRY(redo_renames(*file_layers, checkpoints));
  KeeperPrograms programs{options.store_dir, helpers.keeper.path, criu, helpers.criu_shim.path};
  auto impl =
      std::make_unique<Impl>(std::move(options), std::move(lock), std::move(file_layers),
                             std::move(checkpoints), std::move(programs), helpers.init.path);
  SF_TRY(impl->watch_.start(*impl->file_layers_));
  SF_TRY(impl->pool_.start());
  SF_TRY(impl->find_live_branches());
  return impl;
}

Status Waypoint::Impl::find_live_branches() {
  auto connect = [&](const std::string& keeper) {
    return std::make_shared<KeeperClient>(keeper_socket(options_.store_dir, keeper));
  };
  auto look = [](const LiveRecord& live) -> Result<std::optional<WindowSize>> {
    if (!os::is_alive(live.record.keeper_process)) return std::optional<WindowSize>();
    auto hello = live.client->ask(wire::HelloCall{}, Deadline::after(kCallTime));
    if (!hello && hello.error().code != ErrorCode::kSessionLost) return std::move(hello).error();
    if (!hello || !hello->alive) return std::optional<WindowSize>();
    return std::optional(hello->window);
  };
  SF_TRY(branches_.load(look, connect));
  FileLayerUsers users;
  for (const LiveRecord& live : branches_.list()) {
    users.keepers.insert(live.record.keeper);
    users.templates.insert(live.record.template_file_layer);
  }
  return sweep_store(options_.store_dir, users, *file_layers_, checkpoints_);
}

wire::PlannedFaults Waypoint::Impl::faults_of(When when) const {
  const FaultPlan& faults = options_.faults;
  if (faults.prerestore != (when == When::kPrerestore)) return {};
  return {faults.fail_at, faults.die_at};
}

Result<ShellClient> Waypoint::Impl::shell(const BranchId& branch) {
  SF_TRY_ASSIGN(LiveRecord live, branches_.find(branch));
  return ShellClient(live.client);
}

Result<std::string> Waypoint::Impl::template_for(const std::string& root) {
  RootTemplate wanted{root, init_binary_, ""};
  std::string prefix = root == "/" ? "/" : root + "/";
  if (options_.store_dir.starts_with(prefix)) wanted.hidden = options_.store_dir;
  SF_TRY(look_at_base(wanted));
  SF_TRY_ASSIGN(std::string name, template_name(wanted));
  std::lock_guard lock(mutex_);
  if (os::is_directory(file_layers_->paths(name).upper)) return name;
  std::string draft = name + "-draft";
  SF_TRY(file_layers_->remove(draft));
  SF_TRY(file_layers_->create(draft));
  SF_TRY(write_template(wanted, file_layers_->paths(draft)));
  SF_TRY(file_layers_->rename(draft, name));
  return name;
}

Result<BranchId> Waypoint::Impl::start(const BranchConfig& wanted) {
  SF_TRY(check_config(wanted));
  BranchConfig config = wanted;
  auto root = os::real_path(config.root);
  if (!root) return invalid("root " + config.root + ": " + root.error().message);
  config.root = *root;
  SF_TRY(check_base_root(config.root));
  SF_TRY_ASSIGN(std::string template_file_layer, template_for(config.root));
  return start_on(template_file_layer, config, std::nullopt);
}

Result<BranchId> Waypoint::Impl::start_from(const CheckpointId& checkpoint) {
  Manifest manifest;
  {
    std::lock_guard lock(mutex_);
    SF_TRY_ASSIGN(manifest, checkpoints_.load(checkpoint));
  }
  const std::string file_layer = sealed_file_layer(source_of(manifest.info));
  auto started = start_on(file_layer, manifest.config, checkpoint);
  if (started || manifest.config.cwd == "/" || !is_missing_path(started.error())) return started;
  manifest.config.cwd = "/";
  return start_on(file_layer, manifest.config, checkpoint);
}

Result<Waypoint::Impl::Occupied> Waypoint::Impl::occupy_keeper(const Frame& request,
                                                               Network network,
                                                               std::string_view engine,
                                                               Spares spares) {
  const bool awaits = spares == Spares::kAwaited;
  ScopeExit refill([&] {
    if (network == Network::kNone && awaits) pool_.refill();
  });
  for (;;) {
    SF_TRY_ASSIGN(KeeperHandle keeper,
                  awaits ? pool_.take(network, engine) : pool_.take_now(network, engine));
    auto live = keeper.client->ask<wire::LiveReply>(request, Deadline::after(kCallTime));
    if (live) return Occupied{std::move(keeper), *live};
    bool was_killed = keeper.spare && live.error().code == ErrorCode::kSessionLost;
    pool_.retire(std::move(keeper));
    if (!was_killed) return std::move(live).error();  // killed while idle: take another
  }
}

Result<BranchId> Waypoint::Impl::start_on(const std::string& file_layer, const BranchConfig& config,
                                          std::optional<CheckpointId> head) {
  const Frame request = wire::to_frame(wire::StartCall{to_json(config), file_layer,
                                                       is_capturing() && precaptures(config),
                                                       faults_of(When::kWanted)});
  SF_TRY_ASSIGN(Occupied occupied, occupy_keeper(request, config.network, {}, Spares::kAwaited));
  return publish(occupied, BranchId(fresh_id("b")), config, head, head ? "" : file_layer);
}

Result<BranchId> Waypoint::Impl::publish(const Occupied& occupied, const BranchId& branch,
                                         const BranchConfig& config,
                                         const std::optional<CheckpointId>& head,
                                         const std::string& template_file_layer) {
  const KeeperHandle& keeper = occupied.keeper;
  ScopeExit give_up([&] { pool_.retire(keeper); });
  LiveRecord live{{branch, keeper.id, {}, config, head, template_file_layer}, keeper.client};
  live.record.keeper_process = os::process_key(occupied.live.pid).value_or(os::ProcessKey{});
  if (head) SF_TRY(options_.faults.at("restore.before_swap"));
  SF_TRY(branches_.publish(live, occupied.live.window));
  give_up.dismiss();
  return branch;
}

Result<CheckpointInfo> Waypoint::Impl::checkpoint(const BranchId& branch) {
  Stopwatch watch;
  SF_TRY_ASSIGN(BranchTable::Claim claim, branches_.claim(branch));
  LiveRecord& live = claim.live;
  std::optional<Manifest> base = base_for(live.record.head);
  branches_without_capture_ = 0;
  for (;;) {
    SF_TRY_ASSIGN(CheckpointDraft draft, drafts_.take());  // removed unless published
    SF_TRY(options_.faults.at("checkpoint.begin"));
    SF_TRY_ASSIGN(
        wire::CheckpointReply reply,
        live.client->ask(wire::CheckpointCall{draft.image_dir(), draft.file_layer(),
                                              precaptures(live.record.config),
                                              base ? to_json(*base->state.fingerprint) : Json(),
                                              faults_of(When::kWanted)},
                         Deadline::after(kCallTime)));
    Manifest manifest;
    SF_TRY_ASSIGN(manifest.state, captured_state_from_json(reply.state, reply.terminal));
    if (reply.unchanged) manifest.info.base = base->info.id;
    manifest.engine = reply.unchanged ? base->engine : reply.engine;
    manifest.info.image_bytes = reply.image_bytes;
    if (reply.precaptured) manifest.precapture_keeper = live.record.keeper;
    manifest.info.took = watch.elapsed();
    auto info = publish(std::move(draft), std::move(manifest), live);
    bool base_is_gone = base && !info && info.error().code == ErrorCode::kNotFound;
    if (base_is_gone) {  // removed meanwhile: save the whole state
      base.reset();
      continue;
    }
    if (info) {
      info->took = watch.elapsed();
      info->precaptured = reply.precaptured;
      info->facts = reply.facts;
    }
    return info;
  }
}

// The checkpoint that would be the base of a new one, if the branch at `head` has not changed.
std::optional<Manifest> Waypoint::Impl::base_for(const std::optional<CheckpointId>& head) {
  std::lock_guard lock(mutex_);
  auto load = [&](const std::optional<CheckpointId>& id) -> std::optional<Manifest> {
    if (!id || !checkpoints_.keeps(*id)) return std::nullopt;
    auto manifest = checkpoints_.load_hidden_too(*id);
    if (!manifest) return std::nullopt;
    return std::move(*manifest);
  };
  std::optional<Manifest> base = load(head);
  if (base && base->info.base) base = load(base->info.base);
  if (!base || !base->state.fingerprint || base->engine == kFilesOnly ||
      base->boot_id != os::boot_id())
    return std::nullopt;
  return base;
}

Result<CheckpointInfo> Waypoint::Impl::seal(const BranchId& branch) {
  Stopwatch watch;
  SF_TRY_ASSIGN(BranchTable::Claim claim, branches_.claim(branch));
  SF_TRY_ASSIGN(CheckpointDraft draft, drafts_.take());
  SF_TRY(file_layers_->copy(live_file_layer(claim.live.record.keeper), draft.file_layer()));
  Manifest manifest;
  manifest.engine = kFilesOnly;
  manifest.info.took = watch.elapsed();
  return publish(std::move(draft), std::move(manifest), claim.live);
}

Result<CheckpointInfo> Waypoint::Impl::publish(CheckpointDraft draft, Manifest manifest,
                                               LiveRecord& live) {
  manifest.config = live.record.config;
  manifest.boot_id = os::boot_id();
  CheckpointInfo& info = manifest.info;
  info.id = draft.id();
  info.parent = live.record.head;
  info.branch = live.record.id;
  info.label = manifest.config.label;
  info.stopped = manifest.state.stopped;
  SF_TRY(options_.faults.at("checkpoint.before_publish"));
  {
    std::lock_guard lock(mutex_);
    SF_TRY_ASSIGN(info, checkpoints_.publish(std::move(draft), manifest));
  }
  SF_TRY(options_.faults.at("checkpoint.after_publish"));
  live.record.head = info.id;
  SF_TRY(branches_.publish(live));
  expect(info.id, manifest);
  pool_.later([this] { drafts_.make(); }, kShortTimeout);
  return info;
}

Status Waypoint::Impl::end(const BranchId& branch) {
  if (auto ended = checkpoints_.removals().again(branch.value())) return *ended;
  SF_TRY_ASSIGN(BranchTable::Claim claim, branches_.claim(branch));
  SF_TRY(branches_.remove(branch));
  return checkpoints_.removals().attempt(branch.value(), [this, live = claim.live]() -> Status {
    SF_TRY(live.client->end(Deadline::after(seconds(30))));
    return remove_keeper_resources(options_.store_dir, live.record.keeper, *file_layers_);
  });
}

void Waypoint::Impl::end_all() {
  prerestore_.clear();
  for (const BranchInfo& info : branches()) (void)end(info.id);
  pool_.settle();
}

Status Waypoint::Impl::remove(const CheckpointId& checkpoint) {
  prerestore_.forget(checkpoint.value());
  Status removed = [&] {
    std::lock_guard lock(mutex_);
    return checkpoints_.remove(checkpoint);
  }();
  prerestore_.forget(checkpoint.value());  // a restore meanwhile may have planned it again
  return removed;
}

Result<BranchPids> Waypoint::Impl::pids(const BranchId& branch) {
  SF_TRY_ASSIGN(LiveRecord live, branches_.find(branch));
  SF_TRY_ASSIGN(wire::HelloReply hello,
                live.client->ask(wire::HelloCall{}, Deadline::after(kCallTime)));
  if (hello.init == 0)
    return fail(ErrorCode::kSessionLost, "the live branch has ended",
                "restore one of its checkpoints");
  BranchPids pids{.init = hello.init, .at_prompt = hello.at_prompt};
  if (hello.holder == 1) pids.holder = pids.init;
  for (pid_t child : os::children_of(pids.init)) {
    pid_t inside = os::namespace_pid(child).value_or(0);
    if (inside == hello.shell) pids.shell = child;
    if (inside == hello.holder) pids.holder = child;
  }
  return pids;
}

Result<std::string> Waypoint::Impl::changed_files(const BranchId& branch) const {
  SF_TRY_ASSIGN(LiveRecord live, branches_.find(branch));
  return file_layers_->paths(live_file_layer(live.record.keeper)).upper;
}

std::vector<BranchInfo> Waypoint::Impl::branches() {
  std::vector<BranchInfo> all;
  for (const LiveRecord& live : branches_.list())
    all.push_back({live.record.id, live.record.config, live.record.head,
                   live.record.keeper_process.pid, os::is_alive(live.record.keeper_process),
                   live.client->calls()});
  return all;
}

std::vector<CheckpointInfo> Waypoint::Impl::checkpoints() {
  std::lock_guard lock(mutex_);
  return checkpoints_.list();
}

namespace {

// Adds a hint if a step ran out of space.
Error advised(Error error) {
  if (error.code != ErrorCode::kNoSpace) return error;
  return std::move(error).with_hint("make room on the store's file system, or remove checkpoints");
}

}  // namespace

Waypoint::Waypoint(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Waypoint::Waypoint(Waypoint&&) noexcept = default;
Waypoint& Waypoint::operator=(Waypoint&&) noexcept = default;
Waypoint::~Waypoint() = default;

Result<Waypoint> Waypoint::open(WaypointOptions options) {
  auto impl = Impl::open(std::move(options));
  if (!impl) return std::move(impl).error().while_doing("opening the store");
  return Waypoint(std::move(*impl));
}

Result<BranchId> Waypoint::start(const BranchConfig& config) { return impl_->start(config); }

Result<CheckpointInfo> Waypoint::checkpoint(const BranchId& branch) {
  auto info = impl_->checkpoint(branch);
  if (!info)
    return advised(std::move(info).error()).while_doing("checkpoint of branch " + branch.value());
  return info;
}

Result<CheckpointInfo> Waypoint::seal(const BranchId& branch) { return impl_->seal(branch); }
Result<BranchId> Waypoint::start_from(const CheckpointId& checkpoint) {
  return impl_->start_from(checkpoint);
}

Status Waypoint::restore(const BranchId& branch, const CheckpointId& checkpoint) {
  SF_TRY(restore(branch, checkpoint, {}));
  return Ok{};
}

Result<BranchId> Waypoint::restore(const BranchId& branch, const CheckpointId& checkpoint,
                                   const RestoreOptions& options) {
  auto restored = impl_->restore(branch, checkpoint, options);
  if (!restored)
    return advised(std::move(restored).error())
        .while_doing("restoring checkpoint " + checkpoint.value());
  return restored;
}

std::vector<Result<BranchId>> Waypoint::fork(const CheckpointId& checkpoint, std::size_t count) {
  return impl_->fork(checkpoint, count);
}

Status Waypoint::end(const BranchId& branch) { return impl_->end(branch); }
Status Waypoint::retire(const BranchId& branch) { return impl_->retire(branch); }
void Waypoint::end_all() { impl_->end_all(); }
Status Waypoint::remove(const CheckpointId& checkpoint) { return impl_->remove(checkpoint); }
std::vector<std::string> Waypoint::retry_removals() { return impl_->retry_removals(); }
Result<BranchPids> Waypoint::pids(const BranchId& branch) { return impl_->pids(branch); }
Result<std::string> Waypoint::changed_files(const BranchId& branch) const {
  return impl_->changed_files(branch);
}
std::vector<BranchInfo> Waypoint::branches() const { return impl_->branches(); }
std::vector<CheckpointInfo> Waypoint::checkpoints() const { return impl_->checkpoints(); }
std::vector<CheckpointId> Waypoint::ready() const {
  std::vector<CheckpointId> all;
  for (const std::string& id : impl_->ready()) all.emplace_back(id);
  return all;
}
void Waypoint::settle() { impl_->settle(); }
std::string Waypoint::file_layers() const { return impl_->units_kind(); }
Status Waypoint::check_store() const { return impl_->check_store(); }

}  // namespace sf::waypoint
