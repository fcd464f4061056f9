#include "waypoint/keeper/keeper.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <csignal>
#include <deque>
#include <memory>
#include <thread>

#include "engine/criu/criu_engine.h"
#include "engine/engine_choice.h"
#include "engine/native/native_engine.h"
#include "os/file.h"
#include "shell/shell_server.h"
#include "waypoint/keeper/captured_state.h"
#include "waypoint/keeper/flusher.h"
#include "waypoint/keeper/keeper_namespaces.h"
#include "waypoint/keeper/keeper_resources.h"
#include "waypoint/keeper/live_branch.h"
#include "waypoint/speculation/precapture.h"
#include "waypoint/speculation/precapture_policy.h"
#include "wire/operations.h"

namespace sf::waypoint {
namespace {

using wire::Frame;
using wire::Json;

constexpr auto kFirstClientTime = seconds(30);
constexpr auto kLonelyTime = milliseconds(100);   // a keeper without branch and clients ends
constexpr int kReadyFd = 3;                       // where the pool waits for "ok" or an error
constexpr auto kQuietTimeout = milliseconds(30);  // delay of work that must not slow a command
constexpr auto kQuiet = milliseconds(100);        // idle time before a precapture
constexpr auto kEndTime = seconds(5);
constexpr auto kRestLook = milliseconds(5);   // poll interval while a checkpoint waits
constexpr auto kLateLook = milliseconds(20);  // poll interval for processes that stop late

void report_ready(const std::string& text) {
  (void)os::write_all(kReadyFd, text);
  ::close(kReadyFd);
}

// The branch's group in the v2 hierarchy; empty where there is none.
std::string freezer_of(const os::Cgroup& group) {
  for (const std::string& directory : group.directories())
    if (os::exists(directory + "/cgroup.freeze")) return directory;
  return {};
}

class Keeper {
 public:
  Keeper(const KeeperOptions& options, os::Poller poller,
         std::unique_ptr<FileLayerStore> file_layers, os::CgroupLayout layout, KeeperGroups groups)
      : options_(options),
        poller_(std::move(poller)),
        file_layers_(std::move(file_layers)),
        layout_(std::move(layout)),
        groups_(std::move(groups)),
        cgroup_forker_(groups_.branch.procs_files()),
        engine_(make_chosen_engine(
            make_native_engine({freezer_of(groups_.branch),
                                keeper_dir(options.store_dir, options.id), cgroup_forker_}),
            make_criu_engine({options.criu, options.criu_shim, groups_.engine.procs_files(),
                              groups_.branch.procs_files()}))),
        precapture_(precapture_dir(options.store_dir, options.id),
                    precapture_file_layer(options.id), *file_layers_, poller_,
                    [this] { discard_precapture(); }),
        gate_([this] { discard_precapture(); }),
        server_(poller_, [this](const ClientPtr& client, Frame frame) {
          Status served = serve(client, std::move(frame));
          if (!served) client->send_error(served.error());
        }) {
    operations_.add(this, &Keeper::hello);
    operations_.add(this, &Keeper::start);
    operations_.add(this, &Keeper::restore);
    operations_.add(this, &Keeper::resume);
    operations_.add(this, &Keeper::end);
    operations_.add(this, &Keeper::hang_up);
    live_operations_.add(this, &Keeper::checkpoint);
    live_operations_.add(this, &Keeper::digest);
    live_operations_.add(this, &Keeper::answer_facts);
  }

  Status run() {
    SF_TRY(server_.listen(keeper_socket(options_.store_dir, options_.id)));
    SF_TRY(cgroup_forker_.warm_up());
    if (options_.for_criu) engine_->expect_criu();
    SF_TRY(flusher_.emplace().start(*file_layers_));
    report_ready("ok");
    Deadline lonely = Deadline::after(kFirstClientTime);
    while (!ended_) {
      if (is_alive() || server_.has_clients()) lonely = Deadline::after(kLonelyTime);
      if (lonely.passed()) break;
      SF_TRY(poller_.run_once(next_wake(lonely)));
      if (shell_) {
        shell_->on_time();
        shell_->run_waiting();
      }
      run_checkpoints();
      if (late_look_.passed())
        late_look_ =
            engine_->release_async_threads() ? Deadline::after(kLateLook) : Deadline::never();
      if (warm_up_due_.passed() && branch_) {
        warm_up_due_ = Deadline::never();
        engine_->warm_up();
      }
      if (capture_due_.passed() && is_alive()) precapture();
    }
    server_.flush_all();
    return clean_up();
  }

 private:
  struct WaitingCheckpoint {
    ClientPtr client;
    std::string image_dir;
    std::string file_layer;
    FaultPlan faults;
    std::optional<StateFingerprint> unless;  // skip the capture if nothing changed since
    bool precapture = false;                 // precapture is allowed from now on
  };

  bool is_alive() const { return branch_ && !stands_; }

  Deadline next_wake(Deadline lonely) const {
    Deadline wake = (is_alive() ? shell_->next_wake() : lonely)
                        .min(warm_up_due_)
                        .min(late_look_)
                        .min(capture_due_);
    return waiting_checkpoints_.empty() ? wake : wake.min(Deadline::after(kRestLook));
  }

  Status serve(const ClientPtr& client, Frame frame) const {
    if (operations_.knows(frame)) return operations_.serve(client, std::move(frame));
    if (!is_alive()) return fail(ErrorCode::kSessionLost, "this keeper has no live branch");
    if (live_operations_.knows(frame)) return live_operations_.serve(client, std::move(frame));
    return shell_->serve(client, std::move(frame));
  }

  Status hang_up(const ClientPtr& client, wire::HangUpCall /*call*/) {
    server_.close_all_but(*client);
    return Ok{};
  }

  Status checkpoint(const ClientPtr& client, wire::CheckpointCall call) {
    WaitingCheckpoint wanted{
        client,       std::move(call.image_dir), std::move(call.file_layer), plan_of(call.faults),
        std::nullopt, call.precaptures};
    if (!call.unless.is_null()) {
      SF_TRY_ASSIGN(wanted.unless, state_fingerprint_from_json(call.unless));
    }
    waiting_checkpoints_.push_back(std::move(wanted));
    return Ok{};
  }

  Status answer_facts(const ClientPtr& client, wire::FactsCall /*call*/) {
    return answer(client, facts());
  }

  // The current processes of the branch. While a precapture holds it, this is the captured state.
  BranchFacts facts() {
    BranchFacts now = count_processes(branch_->host().own_processes());
    now.at_prompt = is_at_rest();
    return now;
  }

  Status digest(const ClientPtr& client, wire::DigestCall call) {
    SF_TRY_ASSIGN(std::string text, branch_->digest(call.limits, call.base, precapture_.stands()));
    return answer(client, wire::DigestReply{std::move(text)});
  }

  // Called by the gate before a request changes the branch; also if the capture is no longer true.
  void discard_precapture() {
    if (!is_alive()) return;
    precapture_.drop(*branch_);
    plan_.touched();
    capture_due_ = Deadline::after(kQuiet);
  }

  void precapture() {
    capture_due_ = Deadline::never();
    (void)precapture_.clear();
    if (!plan_.wants() || !waiting_checkpoints_.empty()) return;
    if (!branch_->host().is_idle()) {  // the end of the command schedules it again
      if (branch_->host().has_sides()) capture_due_ = Deadline::after(kQuiet);
      return;
    }
    flusher_->begin();
    Stopwatch watch;
    const std::uint64_t openings = gate_.openings();
    Status made = precapture_.make(*branch_);
    late_look_ = Deadline::after(kLateLook);
    if (made && gate_.openings() != openings) {  // a request came during the capture
      precapture_.drop(*branch_);
      capture_due_ = Deadline::after(kQuiet);
    } else if (made) {
      ahead_facts_ = facts();
      plan_.precaptured(watch.elapsed());
    } else if (plan_.failed(made.error().code)) {
      capture_due_ = Deadline::after(kQuiet);
    }
  }

  Status hello(const ClientPtr& client, wire::HelloCall /*call*/) {
    wire::HelloReply reply{.alive = is_alive(), .pid = ::getpid()};
    if (branch_) {
      reply.init = branch_->init();
      reply.shell = branch_->host().shell().shell();
      reply.holder = branch_->host().holder().value_or(1);
      reply.at_prompt = is_alive() && is_at_rest();
      reply.window = window();
    }
    return answer(client, reply);
  }

  WindowSize window() const { return branch_->host().shell().screen().size(); }

  bool is_at_rest() {
    if (branch_->host().shell().may_act()) return false;
    return precapture_.stands() || branch_->host().is_at_rest();
  }

  static FaultPlan plan_of(const wire::PlannedFaults& faults) {
    return {faults.fail_at, faults.die_at};
  }

  BranchParts parts() {
    return {*file_layers_, *engine_, poller_, cgroup_forker_, gate_, live_file_layer(options_.id)};
  }

  Status limit(const BranchConfig& config) {
    auto limited = os::Cgroup::create(layout_, options_.id, config.limits);
    if (!limited) return std::move(limited).error();
    return Ok{};
  }

  Status start(const ClientPtr& client, wire::StartCall call) {
    if (branch_) return fail(ErrorCode::kBusy, "this keeper already has a branch");
    SF_TRY_ASSIGN(BranchConfig config, branch_config_from_json(call.config));
    SF_TRY(limit(config));
    auto branch =
        LiveBranch::start(parts(), std::move(config), call.file_layer, plan_of(call.faults));
    if (!branch) return std::move(branch).error();
    return take(client, call.precaptures, std::move(*branch));
  }

  Status restore(const ClientPtr& client, wire::RestoreCall call) {
    if (branch_) return fail(ErrorCode::kBusy, "this keeper already has a branch");
    SF_TRY_ASSIGN(BranchConfig config, branch_config_from_json(call.config));
    SF_TRY_ASSIGN(CapturedState state, captured_state_from_json(call.state, call.terminal));
    state.engine = call.engine;
    // CRIU's own processes count during a restore, so a tree at its limit would not fit.
    BranchConfig roomy = config;
    roomy.limits.pids.reset();
    SF_TRY(limit(roomy));
    const FaultPlan faults = plan_of(call.faults);
    auto branch = LiveBranch::restore(parts(), config, call.file_layer, call.image_dir, state,
                                      call.prerestore, faults);
    if (!branch) return std::move(branch).error();
    if (!call.prerestore) SF_TRY((*branch)->resume(faults));
    SF_TRY(limit(config));
    stands_ = call.prerestore;
    return take(client, call.precaptures, std::move(*branch));
  }

  Status resume(const ClientPtr& client, wire::ResumeCall call) {
    if (!branch_ || !stands_) return fail(ErrorCode::kSessionLost, "no prerestored tree here");
    SF_TRY(branch_->resume(plan_of(call.faults)));
    stands_ = false;
    return answer_alive(client);
  }

  Status take(const ClientPtr& client, bool precaptures, std::unique_ptr<LiveBranch> branch) {
    branch_ = std::move(branch);
    auto list_background = [this] {
      return with_start_times(background_processes(branch_->host().own_processes()));
    };
    shell_.emplace(branch_->host(), gate_, list_background, [this](bool busy) {
      flusher_->set_active(busy);
      if (!busy) capture_due_ = Deadline::after(kQuiet);
    });
    plan_.begin(precaptures, branch_->may_hold());
    SF_TRY(poller_.add(branch_->init_pidfd(), EPOLLIN, [this](std::uint32_t) { ended_ = true; }));
    warm_up_due_ = Deadline::after(kQuietTimeout);
    return answer_alive(client);
  }

  Status answer_alive(const ClientPtr& client) const {
    return answer(client, wire::LiveReply{::getpid(), branch_->init(), window()});
  }

  Status end(const ClientPtr& client, wire::EndCall /*call*/) {
    ended_ = true;
    return answer(client, wire::Done{});
  }

  void run_checkpoints() {
    while (branch_ && !waiting_checkpoints_.empty() && branch_->host().shell().at_rest()) {
      WaitingCheckpoint wanted = std::move(waiting_checkpoints_.front());
      waiting_checkpoints_.pop_front();
      if (wanted.client->gone()) continue;                     // its draft may be gone too
      if (!wanted.faults.empty()) precapture_.drop(*branch_);  // faults need a new capture
      Status taken = hand_over(wanted) ? Ok{} : capture(wanted);
      if (!taken) wanted.client->send_error(taken.error());
    }
  }

  // Answers with the precapture, or with "unchanged" if nothing changed since the last checkpoint.
  // Returns false if the branch must be captured now.
  bool hand_over(const WaitingCheckpoint& wanted) {
    if (!precapture_.stands()) return false;
    if (!precapture_.is_still_true(*branch_)) {
      discard_precapture();
      return false;
    }
    if (answer_unchanged(wanted, precapture_.fingerprint())) {
      precapture_.drop(*branch_);
      return true;
    }
    auto state = precapture_.hand_over(*branch_, wanted.image_dir, wanted.file_layer);
    if (!state) return false;
    plan_.used(wanted.precapture);
    answer_captured(wanted, *state, ahead_facts_, Ahead::kYes);
    return true;
  }

  Status capture(const WaitingCheckpoint& wanted) {
    std::optional<StateFingerprint> now = branch_->fingerprint();
    if (answer_unchanged(wanted, now)) return Ok{};
    flusher_->begin();  // runs in parallel with the engine
    // Read the facts first: a process that ends during the capture may still be in the images.
    const BranchFacts before = facts();
    auto state =
        branch_->capture({wanted.image_dir, wanted.file_layer, std::move(now)}, wanted.faults);
    warm_up_due_ = Deadline::after(kQuietTimeout);
    late_look_ = Deadline::after(kLateLook);
    if (!state) return std::move(state).error();
    plan_.captured(wanted.precapture, state->may_hold, state->stopped);
    answer_captured(wanted, *state, before, Ahead::kNo);
    return Ok{};
  }

  bool answer_unchanged(const WaitingCheckpoint& wanted,
                        const std::optional<StateFingerprint>& now) {
    if (!wanted.unless || !now) return false;
    auto same = branch_->same_as(*wanted.unless, *now);
    if (!same) return false;
    plan_.used(wanted.precapture);
    same->may_hold = plan_.may_hold();
    (void)answer(wanted.client, wire::CheckpointReply{.state = to_json(*same),
                                                      .terminal = terminal_bytes(*same),
                                                      .unchanged = true,
                                                      .facts = facts()});
    return true;
  }

  enum class Ahead { kNo, kYes };
  void answer_captured(const WaitingCheckpoint& wanted, CapturedState& state,
                       const BranchFacts& facts, Ahead precapture) const {
    state.may_hold = plan_.may_hold();
    (void)answer(wanted.client, wire::CheckpointReply{.state = to_json(state),
                                                      .terminal = terminal_bytes(state),
                                                      .engine = state.engine,
                                                      .image_bytes = state.image_bytes,
                                                      .facts = facts,
                                                      .precaptured = precapture == Ahead::kYes});
  }

  Status clean_up() {
    flusher_.reset();
    shell_.reset();
    if (branch_) {
      precapture_.drop(*branch_);
      branch_->kill();
    }
    // Init ends only after all other processes, and traced processes end only after their tracer
    // releases them.
    for (Deadline patience = Deadline::after(kEndTime);
         engine_->release_async_threads() && !patience.passed();)
      std::this_thread::sleep_for(milliseconds(1));
    branch_.reset();
    engine_.reset();
    return remove_keeper_resources(options_.store_dir, options_.id, *file_layers_);
  }

  const KeeperOptions& options_;
  Operations operations_;
  Operations live_operations_;  // operations that need a live branch
  os::Poller poller_;
  std::unique_ptr<FileLayerStore> file_layers_;
  os::CgroupLayout layout_;
  KeeperGroups groups_;
  CgroupForker cgroup_forker_;
  std::unique_ptr<ProcessEngine> engine_;
  std::unique_ptr<LiveBranch> branch_;
  bool stands_ = false;               // prerestored and not yet resumed
  std::optional<ShellServer> shell_;  // the branch's
  std::deque<WaitingCheckpoint> waiting_checkpoints_;
  std::optional<Flusher> flusher_;
  Precapture precapture_;
  BranchFacts ahead_facts_;  // facts of the precapture
  ChangeGate gate_;
  PrecapturePolicy plan_;
  Deadline capture_due_ = Deadline::never();
  Deadline warm_up_due_ = Deadline::never();
  Deadline late_look_ = Deadline::never();
  bool ended_ = false;
  KeeperServer server_;
};

Status set_up_and_run(const KeeperOptions& options) {
  SF_TRY_ASSIGN(std::unique_ptr<FileLayerStore> file_layers,
                FileLayerStore::open(options.store_dir, "auto", 0));
  os::CgroupLayout layout = os::read_cgroup_layout();
  SF_TRY_ASSIGN(KeeperGroups groups, make_keeper_groups(layout, options.id));
  SF_TRY(enter_keeper_namespaces(options.network));
  SF_TRY(file_layers->attach(kFileLayersMount));
  load_criu_cache(options.store_dir, options.criu);
  SF_TRY_ASSIGN(os::Poller poller, os::Poller::create());
  Keeper keeper(options, std::move(poller), std::move(file_layers), std::move(layout),
                std::move(groups));
  return keeper.run();
}

}  // namespace

Status run_keeper(const KeeperOptions& options) {
  ::signal(SIGPIPE, SIG_IGN);
  ::fcntl(kReadyFd, F_SETFD, FD_CLOEXEC);
  Status status = set_up_and_run(options);
  if (!status) {
    report_ready(
        wire::error_to_json(status.error()).dump(-1, ' ', false, Json::error_handler_t::replace));
    remove_keeper_groups(os::read_cgroup_layout(), options.id);
  }
  return status;
}

}  // namespace sf::waypoint
