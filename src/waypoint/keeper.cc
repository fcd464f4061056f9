#include "waypoint/keeper.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <csignal>
#include <deque>
#include <memory>
#include <thread>

#include "os/file.h"
#include "waypoint/capture_ahead.h"
#include "waypoint/capture_plan.h"
#include "waypoint/captured_state.h"
#include "waypoint/criu/criu_engine.h"
#include "waypoint/engine_choice.h"
#include "waypoint/flusher.h"
#include "waypoint/keeper_home.h"
#include "waypoint/keeper_host.h"
#include "waypoint/keeper_server.h"
#include "waypoint/live_branch.h"
#include "waypoint/native/native_engine.h"
#include "waypoint/shell_server.h"

namespace sf::waypoint {
namespace {

using wire::Frame;
using wire::Json;

constexpr auto kFirstClientTime = seconds(30);
constexpr auto kLonelyTime = milliseconds(100);  // a keeper without branch and clients ends
constexpr int kReadyFd = 3;                      // where the pool waits for "ok" or an error
constexpr auto kMoment = milliseconds(30);       // what comes next may be a command: it goes first
constexpr auto kQuiet = milliseconds(100);       // nobody wants anything: time for a capture
constexpr auto kEndTime = seconds(5);
constexpr auto kRestLook = milliseconds(5);   // until a checkpoint may be taken
constexpr auto kLateLook = milliseconds(20);  // for processes that stop late

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
  Keeper(const KeeperOptions& options, os::Poller poller, std::unique_ptr<UnitStore> units,
         os::CgroupLayout layout, KeeperGroups groups)
      : options_(options),
        poller_(std::move(poller)),
        units_(std::move(units)),
        layout_(std::move(layout)),
        groups_(std::move(groups)),
        cradle_(groups_.branch.procs_files()),
        engine_(make_chosen_engine(
            make_native_engine(
                {freezer_of(groups_.branch), keeper_dir(options.store_dir, options.id), cradle_}),
            make_criu_engine({options.criu, options.criu_shim, groups_.engine.procs_files(),
                              groups_.branch.procs_files()}))),
        ahead_(ahead_dir(options.store_dir, options.id), ahead_unit(options.id), *units_, poller_),
        gate_([this] { discard_capture_ahead(); }),
        server_(poller_,
                [this](const ClientPtr& client, Frame frame) { serve(client, std::move(frame)); }) {
  }

  Status run() {
    SF_TRY(server_.listen(keeper_socket(options_.store_dir, options_.id)));
    SF_TRY(cradle_.warm_up());
    if (options_.for_criu) engine_->expect_criu();
    SF_TRY(flusher_.emplace().start(*units_));
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
        late_look_ = engine_->release_late() ? Deadline::after(kLateLook) : Deadline::never();
      if (warm_up_due_.passed() && branch_) {
        warm_up_due_ = Deadline::never();
        engine_->warm_up();
      }
      if (capture_due_.passed() && is_alive()) capture_ahead();
    }
    server_.flush_all();
    return clean_up();
  }

 private:
  struct WaitingCheckpoint {
    ClientPtr client;
    std::string image_dir;
    std::string unit;
    FaultPlan faults;
    std::optional<StateMark> unless;  // no capture, should nothing have changed since
    bool ahead = false;               // the next ones may be captured before they are asked for
  };

  bool is_alive() const { return branch_ && !stands_; }

  Deadline next_wake(Deadline lonely) const {
    Deadline wake = (is_alive() ? shell_->next_wake() : lonely)
                        .min(warm_up_due_)
                        .min(late_look_)
                        .min(capture_due_);
    return waiting_checkpoints_.empty() ? wake : wake.min(Deadline::after(kRestLook));
  }

  void serve(const ClientPtr& client, Frame frame) {
    try {
      Status served = dispatch(client, frame);
      if (!served) client->send_error(served.error());
    } catch (const Json::exception& e) {
      client->send_error(
          fail(ErrorCode::kInvalidArgument, std::string("malformed request: ") + e.what()));
    }
  }

  Status dispatch(const ClientPtr& client, Frame& frame) {
    std::string op = frame.header.value("op", "");
    if (op == "hello") return hello(client);
    if (op == "start") return start(client, frame);
    if (op == "restore") return restore(client, frame);
    if (op == "go_on") return go_on(client, frame);
    if (op == "end") return end(client);
    if (!is_alive()) return fail(ErrorCode::kSessionLost, "this keeper has no live branch");
    if (op == "checkpoint") {
      WaitingCheckpoint wanted{client,
                               frame.header.at("image_dir").get<std::string>(),
                               frame.header.at("unit").get<std::string>(),
                               faults_of(frame.header),
                               std::nullopt,
                               frame.header.value("ahead", false)};
      if (frame.header.contains("unless")) {
        SF_TRY_ASSIGN(wanted.unless, state_mark_from_json(frame.header["unless"]));
      }
      waiting_checkpoints_.push_back(std::move(wanted));
      return Ok{};
    }
    if (op == "digest") return digest(client, frame);
    return shell_->serve(client, frame);
  }

  Status digest(const ClientPtr& client, const Frame& frame) {
    SF_TRY_ASSIGN(DigestLimits limits, digest_limits_from_json(frame.header));
    SF_TRY_ASSIGN(std::string text,
                  branch_->digest(limits, frame.header.at("base"), ahead_.stands()));
    return answer(client, {{"ok", true}}, std::move(text));
  }

  // What the gate does before anything changes the branch.
  void discard_capture_ahead() {
    if (!is_alive()) return;
    ahead_.drop(*branch_);
    plan_.touched();
    capture_due_ = Deadline::after(kQuiet);
  }

  void capture_ahead() {
    capture_due_ = Deadline::never();
    (void)ahead_.clear();
    if (!plan_.wants() || !waiting_checkpoints_.empty()) return;
    if (!branch_->host().is_idle()) {  // a command's end makes it due again
      if (branch_->host().has_sides()) capture_due_ = Deadline::after(kQuiet);
      return;
    }
    flusher_->begin();
    Stopwatch watch;
    Status made = ahead_.make(*branch_);
    late_look_ = Deadline::after(kLateLook);
    if (made) {
      plan_.captured_ahead(watch.elapsed());
    } else if (made.error().code != ErrorCode::kBusy) {
      plan_.refused();
    } else if (plan_.retries()) {
      capture_due_ = Deadline::after(kQuiet);
    }
  }

  static Status answer(const ClientPtr& client, Json header, std::string payload = {}) {
    client->send({std::move(header), std::move(payload)});
    return Ok{};
  }

  Status hello(const ClientPtr& client) {
    return answer(client, {{"ok", true},
                           {"pid", ::getpid()},
                           {"alive", is_alive()},
                           {"init", branch_ ? branch_->init() : 0},
                           {"shell", branch_ ? branch_->host().shell().shell() : 0},
                           {"holder", branch_ ? branch_->host().holder().value_or(1) : 0},
                           {"at_prompt", is_alive() && is_at_rest()}});
  }

  bool is_at_rest() {
    if (branch_->host().shell().may_act()) return false;
    return ahead_.stands() || branch_->host().is_at_rest();
  }

  static FaultPlan faults_of(const Json& header) {
    return {header.value("fail_at", ""), header.value("die_at", "")};
  }

  BranchParts parts() {
    return {*units_, *engine_, poller_, cradle_, gate_, live_unit(options_.id)};
  }

  Status limit(const BranchConfig& config) {
    auto limited = os::Cgroup::create(layout_, options_.id, config.limits);
    if (!limited) return std::move(limited).error();
    return Ok{};
  }

  Status start(const ClientPtr& client, const Frame& frame) {
    if (branch_) return fail(ErrorCode::kBusy, "this keeper already has a branch");
    SF_TRY_ASSIGN(BranchConfig config, branch_config_from_json(frame.header.at("config")));
    SF_TRY(limit(config));
    auto branch =
        LiveBranch::start(parts(), std::move(config),
                          frame.header.at("template").get<std::string>(), faults_of(frame.header));
    if (!branch) return std::move(branch).error();
    return take(client, frame, std::move(*branch));
  }

  Status restore(const ClientPtr& client, const Frame& frame) {
    if (branch_) return fail(ErrorCode::kBusy, "this keeper already has a branch");
    SF_TRY_ASSIGN(BranchConfig config, branch_config_from_json(frame.header.at("config")));
    SF_TRY_ASSIGN(CapturedState state,
                  captured_state_from_json(frame.header.at("state"), frame.payload));
    state.engine = frame.header.at("engine").get<std::string>();
    // CRIU's own processes count too while the tree comes back: a branch at its limit would not
    // fit.
    BranchConfig roomy = config;
    roomy.limits.pids.reset();
    SF_TRY(limit(roomy));
    const bool ahead = frame.header.at("ahead").get<bool>();  // it stands until "go_on"
    auto branch = LiveBranch::restore(parts(), config, frame.header.at("unit").get<std::string>(),
                                      frame.header.at("image_dir").get<std::string>(), state, ahead,
                                      faults_of(frame.header));
    if (!branch) return std::move(branch).error();
    if (!ahead) SF_TRY((*branch)->go_on(faults_of(frame.header)));
    SF_TRY(limit(config));
    stands_ = ahead;
    return take(client, frame, std::move(*branch));
  }

  Status go_on(const ClientPtr& client, const Frame& frame) {
    if (!branch_ || !stands_) return fail(ErrorCode::kSessionLost, "nothing stands ready here");
    SF_TRY(branch_->go_on(faults_of(frame.header)));
    stands_ = false;
    return answer_alive(client);
  }

  Status take(const ClientPtr& client, const Frame& frame, std::unique_ptr<LiveBranch> branch) {
    branch_ = std::move(branch);
    shell_.emplace(branch_->host(), gate_, [this](bool busy) {
      flusher_->set_active(busy);
      if (!busy) capture_due_ = Deadline::after(kQuiet);
    });
    plan_.begin(frame.header.value("captures_ahead", false), branch_->may_hold());
    SF_TRY(poller_.add(branch_->init_pidfd(), EPOLLIN, [this](std::uint32_t) { ended_ = true; }));
    warm_up_due_ = Deadline::after(kMoment);
    return answer_alive(client);
  }

  Status answer_alive(const ClientPtr& client) const {
    return answer(client, {{"ok", true}, {"pid", ::getpid()}, {"init", branch_->init()}});
  }

  Status end(const ClientPtr& client) {
    ended_ = true;
    return answer(client, {{"ok", true}});
  }

  void run_checkpoints() {
    while (branch_ && !waiting_checkpoints_.empty() && branch_->host().shell().at_rest()) {
      WaitingCheckpoint wanted = std::move(waiting_checkpoints_.front());
      waiting_checkpoints_.pop_front();
      if (wanted.client->gone()) continue;                // its draft may be gone too
      if (!wanted.faults.empty()) ahead_.drop(*branch_);  // it is to meet them
      Status taken = hand_over(wanted) ? Ok{} : capture(wanted);
      if (!taken) wanted.client->send_error(taken.error());
    }
  }

  // What was captured ahead, unless nothing had changed since an earlier checkpoint. False: the
  // branch has to be captured now.
  bool hand_over(const WaitingCheckpoint& wanted) {
    if (!ahead_.stands()) return false;
    if (!ahead_.is_still_true(*branch_)) {
      ahead_.drop(*branch_);
      return false;
    }
    if (answer_unchanged(wanted, ahead_.mark())) {
      ahead_.drop(*branch_);
      return true;
    }
    auto state = ahead_.hand_over(*branch_, wanted.image_dir, wanted.unit);
    if (!state) return false;
    plan_.used(wanted.ahead);
    answer_captured(wanted, *state, true);
    return true;
  }

  Status capture(const WaitingCheckpoint& wanted) {
    std::optional<StateMark> now = branch_->mark();
    if (answer_unchanged(wanted, now)) return Ok{};
    flusher_->begin();  // beside the engine's own work
    auto state = branch_->capture({wanted.image_dir, wanted.unit, std::move(now)}, wanted.faults);
    warm_up_due_ = Deadline::after(kMoment);
    late_look_ = Deadline::after(kLateLook);
    if (!state) return std::move(state).error();
    plan_.captured(wanted.ahead, state->may_hold, state->stopped);
    answer_captured(wanted, *state, false);
    return Ok{};
  }

  bool answer_unchanged(const WaitingCheckpoint& wanted, const std::optional<StateMark>& now) {
    if (!wanted.unless || !now) return false;
    auto same = branch_->same_as(*wanted.unless, *now);
    if (!same) return false;
    plan_.used(wanted.ahead);
    same->may_hold = plan_.may_hold();
    wanted.client->send({{{"state", to_json(*same)}, {"unchanged", true}}, terminal_bytes(*same)});
    return true;
  }

  void answer_captured(const WaitingCheckpoint& wanted, CapturedState& state, bool ahead) const {
    state.may_hold = plan_.may_hold();
    wanted.client->send({{{"state", to_json(state)},
                          {"engine", state.engine},
                          {"image_bytes", state.image_bytes},
                          {"ahead", ahead}},
                         terminal_bytes(state)});
  }

  Status clean_up() {
    flusher_.reset();
    shell_.reset();
    if (branch_) {
      ahead_.drop(*branch_);
      branch_->kill();
    }
    // A dying init waits for all others, and those that are traced for their tracer.
    for (Deadline patience = Deadline::after(kEndTime);
         engine_->release_late() && !patience.passed();)
      std::this_thread::sleep_for(milliseconds(1));
    branch_.reset();
    engine_.reset();
    return remove_keeper_home(options_.store_dir, options_.id, *units_);
  }

  const KeeperOptions& options_;
  os::Poller poller_;
  std::unique_ptr<UnitStore> units_;
  os::CgroupLayout layout_;
  KeeperGroups groups_;
  Cradle cradle_;
  std::unique_ptr<ProcessEngine> engine_;
  std::unique_ptr<LiveBranch> branch_;
  bool stands_ = false;               // brought back ahead of time
  std::optional<ShellServer> shell_;  // the branch's
  std::deque<WaitingCheckpoint> waiting_checkpoints_;
  std::optional<Flusher> flusher_;
  CaptureAhead ahead_;
  ChangeGate gate_;
  CapturePlan plan_;
  Deadline capture_due_ = Deadline::never();
  Deadline warm_up_due_ = Deadline::never();
  Deadline late_look_ = Deadline::never();
  bool ended_ = false;
  KeeperServer server_;
};

Status set_up_and_run(const KeeperOptions& options) {
  SF_TRY_ASSIGN(std::unique_ptr<UnitStore> units, UnitStore::open(options.store_dir, "auto", 0));
  os::CgroupLayout layout = os::read_cgroup_layout();
  SF_TRY_ASSIGN(KeeperGroups groups, make_keeper_groups(layout, options.id));
  SF_TRY(enter_keeper_namespaces(options.network));
  SF_TRY(units->attach(kUnitsMount));
  load_criu_cache(options.store_dir, options.criu);
  SF_TRY_ASSIGN(os::Poller poller, os::Poller::create());
  Keeper keeper(options, std::move(poller), std::move(units), std::move(layout), std::move(groups));
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
