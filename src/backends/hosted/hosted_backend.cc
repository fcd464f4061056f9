#include "backends/hosted/hosted_backend.h"

#include <algorithm>
#include <future>
#include <thread>
#include <utility>

#include "backends/branch_settings.h"
#include "base/scope_exit.h"
#include "shell/fresh_id.h"

namespace sf::backends {

using control::BranchHandle;
using control::PhysicalRef;
using waypoint::BranchConfig;
using waypoint::KeeperClient;
using waypoint::ShellClient;
using wire::HelloReply;

namespace {

constexpr auto kStartTime = seconds(60);  // until the agent of a new sandbox answers
constexpr auto kStartLook = milliseconds(5);
constexpr auto kShortCall = seconds(30);
constexpr std::size_t kForksAtOnce = 8;

}  // namespace

HostedBackend::HostedBackend(std::unique_ptr<Substrate> substrate, const std::string& directory)
    : substrate_(std::move(substrate)), records_(directory) {}

std::shared_ptr<HostedBackend::Sandbox> HostedBackend::sandbox(const BranchHandle& branch) {
  std::lock_guard lock(mutex_);
  std::shared_ptr<Sandbox>& found = sandboxes_[branch];
  if (!found) {
    found = std::make_shared<Sandbox>();
    found->name = branch.value();
    found->agent = std::make_shared<KeeperClient>(
        KeeperClient::Connect([this, name = branch.value()] { return substrate_->connect(name); }));
  }
  return found;
}

Result<BranchHandle> HostedBackend::start(const control::StartConfig& wanted) {
  SF_TRY_ASSIGN(BranchConfig config, branch_config(wanted, std::string(name())));
  BranchConfig probe = config;
  if (config.root.starts_with(kImagePrefix)) probe.root = "/";  // an image's name is not a path
  SF_TRY(waypoint::check_config(probe));
  SF_TRY(substrate_->check(config));
  SF_TRY(check_engine_once());
  std::shared_lock making(making_);
  std::string fresh = waypoint::fresh_id("b");
  ScopeExit undo([&] { (void)end(BranchHandle(fresh)); });
  SF_TRY(records_.put(fresh, config));
  SF_TRY(substrate_->start(fresh, config));
  SF_TRY(begin(fresh, config));
  undo.dismiss();
  return BranchHandle(fresh);
}

Status HostedBackend::begin(const std::string& name, const BranchConfig& config) {
  std::shared_ptr<Sandbox> made = sandbox(BranchHandle(name));
  Deadline deadline = Deadline::after(kStartTime);
  Result<HelloReply> answer = hello(*made, deadline);
  if (!answer && answer.error().code == ErrorCode::kNotFound)
    return fail(ErrorCode::kOs,
                "the sandbox ended before its agent answered: " + answer.error().message,
                "check that the root is for this machine's architecture");
  if (!answer) return std::move(answer).error().while_doing("waiting for the agent in the sandbox");
  made->reached = true;
  if (answer->started) return Ok{};
  SF_TRY(made->agent->ask(wire::StartCall{.config = to_json(config)}, deadline));
  return Ok{};
}

Result<HelloReply> HostedBackend::hello(Sandbox& sandbox, Deadline deadline) {
  for (;;) {
    Result<HelloReply> answer = sandbox.agent->ask(wire::HelloCall{}, deadline);
    if (answer || deadline.passed()) return answer;
    const ErrorCode code = answer.error().code;
    if (code != ErrorCode::kSessionLost && code != ErrorCode::kBusy) return answer;
    auto way = substrate_->connect(sandbox.name);
    if (!way && way.error().code == ErrorCode::kNotFound) return std::move(way).error();
    std::this_thread::sleep_for(kStartLook);
  }
}

Result<HostedBackend::Talk> HostedBackend::talk(const BranchHandle& branch) {
  std::shared_ptr<Sandbox> found = sandbox(branch);
  auto lock =
      std::make_shared<std::pair<std::shared_ptr<Sandbox>, std::shared_lock<std::shared_mutex>>>(
          found, found->talk);
  if (!found->reached) {
    // The sandbox may be in any state if the previous daemon was killed.
    auto there = hello(*found, Deadline::after(kStartTime));
    if (!there && there.error().code != ErrorCode::kNotFound) return std::move(there).error();
    found->reached = true;
  }
  return Talk{ShellClient(found->agent), std::move(lock)};
}

// The connection to an agent may be lost (a relay was killed) while the agent is alive. Then the
// branch is not lost, but it is unknown whether the request had an effect.
Error HostedBackend::explain(const BranchHandle& branch, Error error) {
  if (error.code != ErrorCode::kSessionLost) return error;
  std::shared_ptr<Sandbox> found;
  {
    std::lock_guard lock(mutex_);
    const auto known = sandboxes_.find(branch);
    if (known == sandboxes_.end()) return error;  // ended by another call
    found = known->second;
  }
  found->agent->drop_idle();
  auto answer = hello(*found, Deadline::after(kShortCall));
  if (!answer && answer.error().code == ErrorCode::kNotFound) return error;
  error.code = ErrorCode::kOs;
  error.message = "the connection to the sandbox was lost: " + error.message;
  return error;
}

Result<control::Checkpoint> HostedBackend::checkpoint(const BranchHandle& branch) {
  Stopwatch watch;
  SF_TRY_ASSIGN(BranchFacts before, facts(branch));
  std::shared_ptr<Sandbox> found = sandbox(branch);
  std::unique_lock talk(found->talk);
  (void)found->agent->ask(wire::HangUpCall{}, Deadline::after(kShortCall));
  found->agent->drop_idle();
  SF_TRY_ASSIGN(BranchConfig config, records_.get(branch.value()));
  std::shared_lock making(making_);
  std::string state = waypoint::fresh_id("c");
  SF_TRY(records_.put(state, config));
  Result<KeptState> kept = substrate_->keep(branch.value(), state);
  if (!kept) {
    (void)substrate_->remove(state);
    records_.remove(state);
    return std::move(kept).error();
  }
  return control::Checkpoint{.ref = PhysicalRef(state),
                             .bytes = kept->bytes,
                             .facts = before,
                             .took = watch.elapsed(),
                             .stopped = kept->stopped};
}

Result<BranchHandle> HostedBackend::revive(const PhysicalRef& from) {
  SF_TRY_ASSIGN(BranchConfig config, records_.get(from.value()));
  std::shared_lock making(making_);
  std::string fresh = waypoint::fresh_id("b");
  ScopeExit undo([&] { (void)end(BranchHandle(fresh)); });
  SF_TRY(records_.put(fresh, config));
  SF_TRY(substrate_->revive(from.value(), fresh, config));
  SF_TRY(begin(fresh, config));
  undo.dismiss();
  return BranchHandle(fresh);
}

Result<BranchHandle> HostedBackend::restore(const BranchHandle& /*old*/, const PhysicalRef& from) {
  return revive(from);
}

std::vector<Result<BranchHandle>> HostedBackend::fork(const PhysicalRef& from, std::size_t count) {
  std::vector<Result<BranchHandle>> forks;
  while (forks.size() < count) {
    std::vector<std::future<Result<BranchHandle>>> batch;
    while (batch.size() < std::min(kForksAtOnce, count - forks.size()))
      batch.push_back(
          std::async(std::launch::async | std::launch::deferred, [&] { return revive(from); }));
    for (auto& each : batch) forks.push_back(each.get());
  }
  return forks;
}

Status HostedBackend::remove(const PhysicalRef& ref) {
  SF_TRY(substrate_->remove(ref.value()));
  records_.remove(ref.value());
  return Ok{};
}

Status HostedBackend::end(const BranchHandle& branch) {
  {
    std::lock_guard lock(mutex_);
    sandboxes_.erase(branch);
  }
  SF_TRY(substrate_->end(branch.value()));
  records_.remove(branch.value());
  return Ok{};
}

Result<std::string> HostedBackend::digest(const BranchHandle&, const std::optional<PhysicalRef>&,
                                          const control::DigestBudget&) {
  return fail(ErrorCode::kUnsupported,
              "the " + std::string(name()) + " backend cannot verify a replay");
}

Result<control::StateDiff> HostedBackend::diff(const control::DiffSide&, const control::DiffSide&) {
  return fail(ErrorCode::kUnsupported,
              "the " + std::string(name()) + " backend cannot compare states",
              "use the waypoint or the overlay backend");
}

Result<control::BackendUsage> HostedBackend::usage() {
  SF_TRY_ASSIGN(control::Inventory all, inventory());
  return control::BackendUsage{.physical_snapshots = all.physical.size(),
                               .live_branches = all.live.size()};
}

// Another engine would not list our sandboxes, and all of them would be taken for lost.
Status HostedBackend::check_engine() {
  SF_TRY_ASSIGN(std::string now, substrate_->engine());
  if (now.empty()) return Ok{};
  Result<std::string> known = records_.engine();
  if (known && *known == now) return Ok{};
  SF_TRY_ASSIGN(bool is_free, records_.empty());
  if (!known || is_free) return records_.put_engine(now);
  return fail(ErrorCode::kUnsupported,
              "the " + std::string(name()) + " backend's sessions belong to " + *known +
                  ", but the configured engine is " + now,
              "start the daemon with its previous settings");
}

Status HostedBackend::check_engine_once() {
  std::lock_guard lock(engine_mutex_);
  if (engine_known_) return Ok{};
  SF_TRY(check_engine());
  engine_known_ = true;
  return Ok{};
}

Result<control::Inventory> HostedBackend::inventory() {
  control::Inventory all;
  // A record is written before its object. If there are no records, there are no objects, and the
  // engine is not asked.
  SF_TRY_ASSIGN(bool is_free, records_.empty());
  if (is_free) return all;
  SF_TRY(check_engine());
  std::unique_lock quiet(making_, std::try_to_lock);
  std::set<std::string> names;
  SF_TRY_ASSIGN(std::vector<std::string> sandboxes, substrate_->sandboxes());
  for (const std::string& name : sandboxes) all.live.emplace_back(name);
  SF_TRY_ASSIGN(std::vector<std::string> states, substrate_->states());
  for (const std::string& name : states) all.physical.emplace_back(name);
  names.insert(sandboxes.begin(), sandboxes.end());
  names.insert(states.begin(), states.end());
  // If a process was killed between the two steps, a record may have no object.
  if (quiet.owns_lock()) SF_TRY(records_.keep_only(names));
  return all;
}

}  // namespace sf::backends
