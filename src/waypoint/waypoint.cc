#include "waypoint/waypoint.h"

#include <unistd.h>

#include <future>

#include "base/scope_exit.h"
#include "os/error.h"
#include "os/file.h"
#include "os/host_info.h"
#include "waypoint/criu/criu_binary.h"
#include "waypoint/doctor.h"
#include "waypoint/fresh_id.h"
#include "waypoint/host_programs.h"
#include "waypoint/keeper_home.h"
#include "waypoint/root_template.h"
#include "waypoint/store_lock.h"
#include "waypoint/store_sweep.h"
#include "waypoint/waypoint_impl.h"
#include "waypoint/writable_units.h"

namespace sf::waypoint {
namespace {

using wire::Frame;
using wire::Json;

constexpr auto kSoon =
    milliseconds(30);  // after an answer, which what is not wanted yet would slow
constexpr auto kCallTime = std::chrono::minutes(15);  // a capture or restore of many gigabytes
constexpr std::size_t kMaxForks = 1000;
constexpr std::size_t kForksAtOnce = 4;

bool is_missing_path(const Error& error) {
  return error.code == ErrorCode::kNotFound || error.os_errno == ENOTDIR;
}

}  // namespace

Result<std::unique_ptr<Waypoint::Impl>> Waypoint::Impl::open(WaypointOptions options) {
  if (options.store_dir.empty() || options.store_dir[0] != '/')
    return invalid("store_dir must be an absolute path, got \"" + options.store_dir + "\"");
  SF_TRY(check_store_place(options.store_dir));
  if (::geteuid() != 0)
    return fail(ErrorCode::kUnsupported, "Waypoint needs root", "run it as root, or with sudo");
  SF_TRY(check_session_capabilities(held_capabilities()));
  SF_TRY_ASSIGN(std::string criu, find_criu(options.criu_path));
  SF_TRY_ASSIGN(Helpers helpers, find_helpers(options.helper_dir));
  Status made = os::make_directories(options.store_dir);
  if (!made)
    return std::move(made).error().with_hint("choose a store directory that can be written");
  SF_TRY_ASSIGN(options.store_dir, os::real_path(options.store_dir));
  SF_TRY(check_store_place(options.store_dir));  // a link may have led there
  SF_TRY_ASSIGN(os::UniqueFd lock, lock_store(options.store_dir));
  SF_TRY_ASSIGN(std::unique_ptr<UnitStore> units,
                open_writable_units(options.store_dir, options.units, options.store_bytes));
  SF_TRY_ASSIGN(CheckpointStore checkpoints, CheckpointStore::open(options.store_dir, *units));
  SF_TRY(redo_renames(*units, checkpoints));
  KeeperPrograms programs{options.store_dir, helpers.keeper.path, criu, helpers.criu_shim.path};
  auto impl =
      std::make_unique<Impl>(std::move(options), std::move(lock), std::move(units),
                             std::move(checkpoints), std::move(programs), helpers.init.path);
  SF_TRY(impl->watch_.start(*impl->units_));
  SF_TRY(impl->pool_.start());
  SF_TRY(impl->find_live_branches());
  return impl;
}

Status Waypoint::Impl::find_live_branches() {
  auto connect = [&](const std::string& keeper) {
    return std::make_shared<KeeperClient>(keeper_socket(options_.store_dir, keeper));
  };
  auto is_alive = [](const LiveRecord& live) -> Result<bool> {
    if (!os::is_alive(live.record.keeper_process)) return false;
    auto hello = live.client->call({{{"op", "hello"}}, {}}, Deadline::after(kCallTime));
    if (!hello && hello.error().code != ErrorCode::kSessionLost) return std::move(hello).error();
    return hello && hello->header.value("alive", false);
  };
  SF_TRY(branches_.load(is_alive, connect));
  std::set<std::string> keepers;
  for (const LiveRecord& live : branches_.list()) keepers.insert(live.record.keeper);
  // A keeper answers one request at a time: having answered, none still writes into a dead
  // manager's draft.
  SF_TRY(sweep_keepers(options_.store_dir, keepers, *units_));
  SF_TRY(checkpoints_.sweep_drafts());
  return sweep_units(*units_, keepers, checkpoints_);
}

Json Waypoint::Impl::with_faults(Json header, When when) const {
  const FaultPlan& faults = options_.faults;
  if (faults.ahead != (when == When::kAhead)) return header;
  if (!faults.fail_at.empty()) header["fail_at"] = faults.fail_at;
  if (!faults.die_at.empty()) header["die_at"] = faults.die_at;
  return header;
}

Result<ShellClient> Waypoint::Impl::shell(const BranchId& branch) {
  SF_TRY_ASSIGN(LiveRecord live, branches_.find(branch));
  return ShellClient(live.client);
}

Result<std::string> Waypoint::Impl::template_for(const std::string& root) {
  RootTemplate wanted{root, init_binary_, ""};
  std::string prefix = root == "/" ? "/" : root + "/";
  if (options_.store_dir.starts_with(prefix)) wanted.hidden = options_.store_dir;
  SF_TRY_ASSIGN(std::string name, template_name(wanted));
  std::lock_guard lock(mutex_);
  if (os::is_directory(units_->paths(name).upper)) return name;
  std::string draft = name + "-draft";
  SF_TRY(units_->remove(draft));
  SF_TRY(units_->create(draft));
  SF_TRY(write_template(wanted, units_->paths(draft)));
  SF_TRY(units_->rename(draft, name));
  return name;
}

Result<BranchId> Waypoint::Impl::start(const BranchConfig& wanted) {
  SF_TRY(check_config(wanted));
  BranchConfig config = wanted;
  auto root = os::real_path(config.root);
  if (!root) return invalid("root " + config.root + ": " + root.error().message);
  config.root = *root;
  SF_TRY(check_base_root(config.root));
  SF_TRY_ASSIGN(std::string template_unit, template_for(config.root));
  return start_on(template_unit, config, std::nullopt);
}

Result<BranchId> Waypoint::Impl::start_from(const CheckpointId& checkpoint) {
  Manifest manifest;
  {
    std::lock_guard lock(mutex_);
    SF_TRY_ASSIGN(manifest, checkpoints_.load(checkpoint));
  }
  const std::string unit = sealed_unit(source_of(manifest.info));
  auto started = start_on(unit, manifest.config, checkpoint);
  if (started || manifest.config.cwd == "/" || !is_missing_path(started.error())) return started;
  manifest.config.cwd = "/";
  return start_on(unit, manifest.config, checkpoint);
}

Result<Waypoint::Impl::Occupied> Waypoint::Impl::occupy_keeper(const Frame& request,
                                                               Network network,
                                                               std::string_view engine) {
  ScopeExit refill([&] {
    if (network == Network::kNone) pool_.refill();
  });
  for (;;) {
    SF_TRY_ASSIGN(KeeperHandle keeper, pool_.take(network, engine));
    auto answer = keeper.client->call(request, Deadline::after(kCallTime));
    if (answer) return Occupied{std::move(keeper), std::move(*answer)};
    bool was_killed = keeper.spare && answer.error().code == ErrorCode::kSessionLost;
    pool_.retire(std::move(keeper));
    if (!was_killed) return std::move(answer).error();  // else somebody did while it waited
  }
}

Result<BranchId> Waypoint::Impl::start_on(const std::string& unit, const BranchConfig& config,
                                          std::optional<CheckpointId> head) {
  Frame request{with_faults({{"op", "start"},
                             {"config", to_json(config)},
                             {"template", unit},
                             {"captures_ahead", is_capturing() && captures_ahead(config)}}),
                {}};
  SF_TRY_ASSIGN(Occupied occupied, occupy_keeper(request, config.network, {}));
  KeeperHandle& keeper = occupied.keeper;
  const Frame& answer = occupied.answer;
  ScopeExit give_up([&] { pool_.retire(keeper); });
  LiveRecord live{{BranchId(fresh_id("b")), keeper.id, {}, config, head}, keeper.client};
  live.record.keeper_process =
      os::process_key(answer.header.value("pid", 0)).value_or(os::ProcessKey{});
  SF_TRY(branches_.publish(live));
  give_up.dismiss();
  return live.record.id;
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
    Json request = with_faults(
        {{"op", "checkpoint"}, {"image_dir", draft.image_dir()}, {"unit", draft.unit()}});
    request["ahead"] = captures_ahead(live.record.config);
    if (base) request["unless"] = to_json(*base->state.mark);
    SF_TRY_ASSIGN(Frame answer,
                  live.client->call({std::move(request), {}}, Deadline::after(kCallTime)));
    Manifest manifest;
    SF_TRY_ASSIGN(manifest.state, captured_state_from_json(answer.header["state"], answer.payload));
    bool unchanged = answer.header.value("unchanged", false);
    if (unchanged) manifest.info.base = base->info.id;
    manifest.engine = unchanged ? base->engine : answer.header.at("engine").get<std::string>();
    manifest.info.image_bytes = answer.header.value("image_bytes", std::uint64_t{0});
    const bool ahead = answer.header.value("ahead", false);
    if (ahead) manifest.ahead_keeper = live.record.keeper;
    manifest.info.took = watch.elapsed();
    auto info = publish(std::move(draft), std::move(manifest), live);
    bool base_is_gone = base && !info && info.error().code == ErrorCode::kNotFound;
    if (base_is_gone) {  // removed meanwhile: then this one keeps everything itself
      base.reset();
      continue;
    }
    if (info) {
      info->took = watch.elapsed();
      info->ahead = ahead;
    }
    return info;
  }
}

// The checkpoint that a branch at `head` would share, should nothing have changed.
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
  if (!base || !base->state.mark || base->engine == kFilesOnly || base->boot_id != os::boot_id())
    return std::nullopt;
  return base;
}

Result<CheckpointInfo> Waypoint::Impl::seal(const BranchId& branch) {
  Stopwatch watch;
  SF_TRY_ASSIGN(BranchTable::Claim claim, branches_.claim(branch));
  SF_TRY_ASSIGN(CheckpointDraft draft, drafts_.take());
  SF_TRY(units_->copy(live_unit(claim.live.record.keeper), draft.unit()));
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
  pool_.later([this] { drafts_.make(); }, kSoon);
  return info;
}

Result<LiveRecord> Waypoint::Impl::revive(const BranchId& branch, const CheckpointId& checkpoint,
                                          const std::string& unit) {
  ++branches_without_capture_;
  Manifest manifest;
  {
    std::lock_guard lock(mutex_);
    SF_TRY_ASSIGN(manifest, checkpoints_.load(checkpoint));
  }
  SF_TRY(check_restorable(manifest, os::boot_id()));
  std::optional<Occupied> occupied;
  if (unit.empty()) occupied = foreseen(checkpoint);
  if (!occupied) {
    SF_TRY_ASSIGN(occupied, occupy_keeper(restore_request(manifest, unit, When::kWanted),
                                          manifest.config.network, manifest.engine));
  }
  KeeperHandle& keeper = occupied->keeper;
  const Frame& answer = occupied->answer;
  ScopeExit give_up([&] { pool_.retire(keeper); });
  LiveRecord live{{branch, keeper.id, {}, manifest.config, checkpoint}, keeper.client};
  live.record.keeper_process =
      os::process_key(answer.header.value("pid", 0)).value_or(os::ProcessKey{});
  SF_TRY(options_.faults.at("restore.before_swap"));
  give_up.dismiss();
  if (unit.empty()) expect(checkpoint, manifest);
  return live;
}

Frame Waypoint::Impl::restore_request(const Manifest& manifest, const std::string& unit,
                                      When when) const {
  return {with_faults({{"op", "restore"},
                       {"config", to_json(manifest.config)},
                       {"unit", unit.empty() ? sealed_unit(source_of(manifest.info)) : unit},
                       {"image_dir", checkpoints_.image_dir(source_of(manifest.info))},
                       {"engine", manifest.engine},
                       {"state", to_json(manifest.state)},
                       {"ahead", when == When::kAhead},
                       {"captures_ahead", is_capturing() && captures_ahead(manifest.config)}},
                      when),
          terminal_bytes(manifest.state)};
}

std::optional<Waypoint::Impl::Occupied> Waypoint::Impl::foreseen(const CheckpointId& checkpoint) {
  auto keeper = foresight_.take(checkpoint.value());
  if (!keeper) return std::nullopt;
  auto answer = keeper->client->call({with_faults({{"op", "go_on"}}, When::kAhead), {}},
                                     Deadline::after(kCallTime));
  if (answer) return Occupied{std::move(*keeper), std::move(*answer)};
  pool_.retire(std::move(*keeper));  // somebody killed it while it stood
  return std::nullopt;
}

void Waypoint::Impl::expect(const CheckpointId& checkpoint, const Manifest& manifest) {
  if (manifest.engine == kNativeName && manifest.config.network == Network::kNone)
    foresight_.expect(checkpoint.value(), restore_request(manifest, {}, When::kAhead));
}

Status Waypoint::Impl::restore(const BranchId& branch, const CheckpointId& checkpoint) {
  SF_TRY_ASSIGN(BranchTable::Claim claim, branches_.claim(branch));
  LiveRecord& old = claim.live;
  SF_TRY_ASSIGN(LiveRecord fresh, revive(branch, checkpoint));
  Status published = branches_.publish(fresh);
  if (!published) {
    pool_.retire({fresh.record.keeper, fresh.client});
    return published;
  }
  pool_.retire({old.record.keeper, old.client});
  return options_.faults.at("restore.after_swap");
}

Result<BranchId> Waypoint::Impl::fork_one(const CheckpointId& checkpoint) {
  SF_TRY_ASSIGN(LiveRecord live, revive(BranchId(fresh_id("b")), checkpoint));
  return publish_fork(live);
}

Result<BranchId> Waypoint::Impl::fork_over(const CheckpointId& checkpoint,
                                           const BranchId& files_of) {
  auto other = branches_.find(files_of);
  std::string unit = other ? live_unit(other->record.keeper) : "";
  SF_TRY_ASSIGN(LiveRecord live, revive(BranchId(fresh_id("b")), checkpoint, unit));
  return publish_fork(live);
}

Result<BranchId> Waypoint::Impl::publish_fork(const LiveRecord& live) {
  Status published = branches_.publish(live);
  if (published) return live.record.id;
  pool_.retire({live.record.keeper, live.client});
  return std::move(published).error();
}

std::vector<Result<BranchId>> Waypoint::Impl::fork(const CheckpointId& checkpoint,
                                                   std::size_t count) {
  std::vector<Result<BranchId>> forks;
  if (count == 0 || count > kMaxForks) {
    forks.emplace_back(invalid("fork takes a count from 1 to " + std::to_string(kMaxForks)));
    return forks;
  }
  for (std::size_t done = 0; done < count;) {
    std::vector<std::future<Result<BranchId>>> batch;
    for (; done < count && batch.size() < kForksAtOnce; ++done)
      batch.push_back(std::async(batch.empty() && done + 1 == count
                                     ? std::launch::deferred
                                     : std::launch::async | std::launch::deferred,
                                 [&] { return fork_one(checkpoint); }));
    for (auto& each : batch) forks.push_back(each.get());
  }
  return forks;
}

Status Waypoint::Impl::end(const BranchId& branch) {
  SF_TRY_ASSIGN(BranchTable::Claim claim, branches_.claim(branch));
  SF_TRY(branches_.remove(branch));
  SF_TRY(claim.live.client->end(Deadline::after(seconds(30))));
  return remove_keeper_home(options_.store_dir, claim.live.record.keeper, *units_);
}

void Waypoint::Impl::end_all() {
  foresight_.clear();
  for (const BranchInfo& info : branches()) (void)end(info.id);
  pool_.settle();
}

Status Waypoint::Impl::remove(const CheckpointId& checkpoint) {
  foresight_.forget(checkpoint.value());
  Status removed = [&] {
    std::lock_guard lock(mutex_);
    return checkpoints_.remove(checkpoint);
  }();
  foresight_.forget(checkpoint.value());  // somebody may have gone back there meanwhile
  return removed;
}

Result<BranchPids> Waypoint::Impl::pids(const BranchId& branch) {
  SF_TRY_ASSIGN(LiveRecord live, branches_.find(branch));
  SF_TRY_ASSIGN(Frame hello,
                live.client->call({{{"op", "hello"}}, {}}, Deadline::after(kCallTime)));
  BranchPids pids;
  pids.init = hello.header.value("init", 0);
  if (pids.init == 0) return fail(ErrorCode::kSessionLost, "the branch is gone");
  pids.at_prompt = hello.header.value("at_prompt", false);
  if (hello.header.value("holder", 1) == 1) pids.holder = pids.init;
  for (pid_t child : os::children_of(pids.init)) {
    pid_t inside = os::namespace_pid(child).value_or(0);
    if (inside == hello.header.value("shell", 0)) pids.shell = child;
    if (inside == hello.header.value("holder", 0)) pids.holder = child;
  }
  return pids;
}

Result<std::string> Waypoint::Impl::changed_files(const BranchId& branch) const {
  SF_TRY_ASSIGN(LiveRecord live, branches_.find(branch));
  return units_->paths(live_unit(live.record.keeper)).upper;
}

std::vector<BranchInfo> Waypoint::Impl::branches() {
  std::vector<BranchInfo> all;
  for (const LiveRecord& live : branches_.list())
    all.push_back({live.record.id, live.record.config, live.record.head,
                   live.record.keeper_process.pid, os::is_alive(live.record.keeper_process)});
  return all;
}

std::vector<CheckpointInfo> Waypoint::Impl::checkpoints() {
  std::lock_guard lock(mutex_);
  return checkpoints_.list();
}

namespace {

// Whichever step ran out of room.
Error advised(Error error) {
  if (error.code != ErrorCode::kNoSpace) return error;
  return std::move(error).with_hint(
      "make room on the file system of the store, or remove checkpoints");
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
  Status restored = impl_->restore(branch, checkpoint);
  if (!restored)
    return advised(std::move(restored).error())
        .while_doing("restoring checkpoint " + checkpoint.value());
  return Ok{};
}

std::vector<Result<BranchId>> Waypoint::fork(const CheckpointId& checkpoint, std::size_t count) {
  return impl_->fork(checkpoint, count);
}

Result<BranchId> Waypoint::fork_over(const CheckpointId& checkpoint, const BranchId& files_of) {
  return impl_->fork_over(checkpoint, files_of);
}

Status Waypoint::end(const BranchId& branch) { return impl_->end(branch); }
void Waypoint::end_all() { impl_->end_all(); }
Status Waypoint::remove(const CheckpointId& checkpoint) { return impl_->remove(checkpoint); }
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
std::string Waypoint::units() const { return impl_->units_kind(); }
Status Waypoint::check_store() const { return impl_->check_store(); }

}  // namespace sf::waypoint
