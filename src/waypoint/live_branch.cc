#include "waypoint/live_branch.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "os/error.h"
#include "os/file.h"
#include "os/socket.h"
#include "os/terminal.h"
#include "waypoint/branch_facts.h"
#include "waypoint/capabilities.h"
#include "waypoint/init/init_protocol.h"
#include "waypoint/init_launcher.h"
#include "waypoint/keeper_host.h"
#include "waypoint/pid_counter.h"
#include "waypoint/plain_command.h"
#include "waypoint/root_view.h"

namespace sf::waypoint {
namespace {

constexpr auto kStartTime = seconds(30);
constexpr long kLookAhead = 8;  // commands without a checkpoint: then nobody seems to take any
constexpr std::size_t kMaxCatchUp = 64U << 10U;
constexpr auto kPromptTime = milliseconds(100);  // to get back there after a command
constexpr auto kShortLife = milliseconds(200);   // of a shell that did nothing
// Ids of requests to init; side commands count from 1.
constexpr long kShellRequest = 0;
constexpr long kHolderRequest = -1;

std::string proc_text(pid_t pid, const std::string& name) {
  auto text = os::read_file("/proc/" + std::to_string(pid) + "/" + name, 256U << 20U);
  return text ? *text : std::string();
}

// The init names the system call that failed; the user knows what it was called with.
std::string failed_step(const std::string& step, const BranchConfig& config) {
  if (step == "chdir") return "cwd " + config.cwd;
  if (step == "exec") return "running bash";
  return step;
}

Status enter_ipc_namespace(pid_t pid) {
  SF_TRY_ASSIGN(os::UniqueFd space,
                os::open_file("/proc/" + std::to_string(pid) + "/ns/ipc", O_RDONLY));
  if (::setns(space.get(), CLONE_NEWIPC) != 0)
    return os::last_error("entering the branch's IPC namespace");
  return Ok{};
}

}  // namespace

Result<std::unique_ptr<LiveBranch>> LiveBranch::start(BranchParts parts, BranchConfig config,
                                                      const std::string& template_unit,
                                                      const FaultPlan& faults) {
  std::unique_ptr<LiveBranch> branch(new LiveBranch(std::move(parts), std::move(config)));
  SF_TRY(faults.at("start.before_files"));
  SF_TRY(branch->make_files(template_unit));
  SF_TRY(faults.at("start.before_processes"));
  SF_TRY(set_hostname(branch->config_.hostname));
  SF_TRY(branch->start_processes());
  SF_TRY(faults.at("start.after_processes"));
  return branch;
}

Result<std::unique_ptr<LiveBranch>> LiveBranch::restore(BranchParts parts, BranchConfig config,
                                                        const std::string& sealed_unit,
                                                        const std::string& image_dir,
                                                        const CapturedState& state,
                                                        const FaultPlan& faults) {
  std::unique_ptr<LiveBranch> branch(new LiveBranch(parts, std::move(config)));
  SF_TRY(faults.at("restore.before_files"));
  SF_TRY(branch->make_files(sealed_unit));
  SF_TRY(faults.at("restore.before_processes"));
  SF_TRY(set_hostname(state.hostname));
  SF_TRY_ASSIGN(Screen screen, Screen::load(state.shell.screen));
  SF_TRY_ASSIGN(
      RestoredTree tree,
      parts.engine.restore(
          {.image_dir = image_dir,
           .root_view = kRootMount,
           .lock_network = state.tcp_in_flight,
           .before_resume = [&](pid_t init) { return write_pid_counter(init, state.last_pid); },
           .close_tcp = branch->config_.network == Network::kHost}));
  branch->init_ = std::move(tree.init);
  pid_t init = branch->init_.pid();
  if (state.own_ipc) SF_TRY(enter_ipc_namespace(init));
  branch->user_ = state.user;
  if (state.shell.holder != 1) branch->holder_ = state.shell.holder;
  SF_TRY_ASSIGN(ShellChannel channel, ShellChannel::open(init));
  SF_TRY(channel.install(state.shell.holder, branch->user_.credentials));
  SF_TRY(os::set_nonblocking(tree.terminal.get()));
  branch->driver_ = std::make_unique<ShellDriver>(init, std::move(tree.terminal),
                                                  std::move(channel), std::move(screen));
  branch->sides_ = std::make_unique<SideCommands>(init, parts.poller);
  branch->driver_->adopt(state.shell);
  branch->marked_at_ = state.shell.commands;
  branch->started_ = true;
  if (state.shell.shell == 0)
    branch->start_failure_ = fail(ErrorCode::kOs, "there was no shell at the checkpoint");
  SF_TRY(branch->watch());
  if (state.shell.catch_up) SF_TRY(branch->catch_up(*state.shell.catch_up));
  SF_TRY(faults.at("restore.after_processes"));
  return branch;
}

LiveBranch::~LiveBranch() {
  if (driver_) {
    parts_.poller.remove(driver_->channel().events_fd());
    parts_.poller.remove(driver_->master_fd());
  }
  sides_.reset();
  // PID 1 takes its whole namespace with it; ~Child reaps.
}

Status LiveBranch::make_files(const std::string& from_unit) {
  SF_TRY(parts_.units.copy(from_unit, parts_.unit));
  UnitPaths unit = parts_.units.paths(parts_.unit);
  SF_TRY(prepare_copied_unit(unit));
  return mount_root_view(config_.root, unit, kRootMount);
}

Status LiveBranch::start_processes() {
  SF_TRY_ASSIGN(user_, user(config_.user));
  SF_TRY_ASSIGN(std::uint64_t capabilities,
                with_capabilities(container_capabilities(), config_.extra_capabilities));
  SF_TRY_ASSIGN(init_, launch_init({.root_view = kRootMount,
                                    .cgroup_procs = parts_.cgroup.procs_files(),
                                    .capabilities = capabilities}));
  SF_TRY(open_terminal());
  SF_TRY(watch());
  SF_TRY(start_shell());
  return warm_up_shell();
}

Status LiveBranch::open_terminal() {
  std::string root = "/proc/" + std::to_string(init_.pid()) + "/root";
  SF_TRY_ASSIGN(os::UniqueFd master, os::open_terminal_master(root + "/dev/pts"));
  SF_TRY(os::set_window_size(master.get(), config_.window.rows, config_.window.cols));
  std::string slave = root + kTerminalPath;
  if (::chown(slave.c_str(), user_.credentials.uid, static_cast<gid_t>(-1)) != 0)
    return os::last_error("handing the terminal to the branch's user");
  SF_TRY_ASSIGN(ShellChannel channel, ShellChannel::open(init_.pid()));
  driver_ = std::make_unique<ShellDriver>(init_.pid(), std::move(master), std::move(channel),
                                          Screen(config_.window));
  sides_ = std::make_unique<SideCommands>(init_.pid(), parts_.poller);
  return Ok{};
}

Status LiveBranch::start_shell() {
  pid_t holder = 1;
  if (user_.credentials.uid != 0) {
    // An ordinary user may not look into the descriptors of root's init: one of theirs holds
    // copies.
    SF_TRY(request_holder());
    SF_TRY(pump_until([&] { return holder_.has_value(); }, Deadline::after(kStartTime),
                      "starting the holder"));
    holder = *holder_;
  }
  SF_TRY(driver_->channel().install(holder, user_.credentials));
  SF_TRY(driver_->channel().request(shell_request()));
  return pump_until([&] { return driver_->shell() != 0; }, Deadline::after(kStartTime),
                    "starting the shell");
}

Status LiveBranch::request_holder() {
  return driver_->channel().request({.kind = "holder",
                                     .id = kHolderRequest,
                                     .who = user_.credentials,
                                     .cwd = "/",
                                     .argv = {},
                                     .env = {}});
}

// The user may kill the holder (`kill -9 -1`): the next one has another pid, and the texts must say
// so.
void LiveBranch::on_holder(pid_t holder) {
  holder_ = holder;
  driver_->set_holder(holder);
  (void)driver_->channel().install(holder, user_.credentials);
}

// The first command settles what a fresh shell does to its terminal (an engine may not meet it
// half-way), and shows how this bash waits at its prompt.
Status LiveBranch::warm_up_shell() {
  std::optional<Result<ExecResult>> result;
  driver_->run({.command = ":", .timeout = milliseconds(0), .look = true}, {},
               [&](Result<ExecResult> r) { result = std::move(r); });
  SF_TRY(pump_until([&] { return result.has_value(); }, Deadline::after(kStartTime),
                    "waiting for the shell"));
  if (!result->ok()) return std::move(*result).error();
  SF_TRY(driver_->type(""));  // unsure on purpose: ready() then looks for the prompt
  Deadline deadline = Deadline::after(seconds(5));
  while (!driver_->ready()) {
    if (deadline.passed()) return fail(ErrorCode::kTimedOut, "the shell shows no prompt");
    std::this_thread::sleep_for(microseconds(200));
  }
  started_ = true;
  return Ok{};
}

StartRequest LiveBranch::shell_request() const {
  std::string holder = std::to_string(holder_.value_or(1));
  return {.kind = "shell",
          .id = kShellRequest,
          .who = user_.credentials,
          .cwd = shell_cwd_,
          .argv = {"bash", "--noprofile", "--rcfile",
                   "/proc/" + holder + "/fd/" + std::to_string(kRcFile), "--noediting", "-i"},
          .env = shell_environment(config_, user_.name, user_.home)};
}

Status LiveBranch::watch() {
  driver_->restart_shell = [this] { return on_shell_ended(); };
  driver_->wants_look = [this] { return driver_->commands() - marked_at_ <= kLookAhead; };
  driver_->may_look = [this] { return stands_alone(as_marked()); };
  SF_TRY(parts_.poller.add(driver_->channel().events_fd(), EPOLLIN,
                           [this](std::uint32_t) { on_events(); }));
  watch_terminal();
  return Ok{};
}

void LiveBranch::watch_terminal() {
  if (parts_.poller.contains(driver_->master_fd())) return;
  (void)parts_.poller.add(driver_->master_fd(), EPOLLIN, [this](std::uint32_t) {
    driver_->on_terminal();
    if (driver_->terminal_hung_up()) parts_.poller.remove(driver_->master_fd());
  });
}

// A fresh shell takes the place of one that ended. One that could not start, or that ended before
// it did anything, would end again: then nothing happens until somebody wants to run a command.
std::optional<Error> LiveBranch::on_shell_ended() {
  if (started_ && std::exchange(cwd_gone_, false) && shell_cwd_ != "/") {
    shell_cwd_ = "/";
    start_shell_again();
    return std::nullopt;
  }
  if (!start_failure_ && !shell_served_ && shell_age_.elapsed() < kShortLife)
    start_failure_ =
        fail(ErrorCode::kUnsupported,
             "the root's bash ends as soon as it starts: " + driver_->background_text(),
             "try: chroot " + config_.root + " /bin/bash -c true");
  if (!start_failure_) start_shell_again();
  return start_failure_;
}

std::optional<Error> LiveBranch::shell_failure() const {
  return driver_->shell() != 0 && !holder_lost_ ? std::nullopt : start_failure_;
}

void LiveBranch::start_shell_again() {
  start_failure_.reset();
  if (std::exchange(holder_lost_, false)) (void)request_holder();
  if (driver_->shell() != 0) return;
  if (auto settings = os::terminal_settings(driver_->master_fd())) {
    cfmakeraw(&*settings);  // then the usual cooked mode on top of a known state
    settings->c_iflag |= ICRNL | IXON | BRKINT;
    settings->c_oflag |= OPOST | ONLCR;
    settings->c_lflag |= ISIG | ICANON | IEXTEN | ECHO | ECHOE | ECHOK | ECHOCTL | ECHOKE;
    (void)os::set_terminal_settings(driver_->master_fd(), *settings);
  }
  (void)driver_->channel().request(shell_request());
}

void LiveBranch::on_events() {
  for (const Record& record : driver_->channel().read_records()) {
    if (record.kind == Record::Kind::kHolder) on_holder(static_cast<pid_t>(record.numbers[0]));
    if (record.kind == Record::Kind::kExited && record.numbers[0] == holder_)
      (void)request_holder();
    if (record.kind == Record::Kind::kFailed) on_start_failed(record);
    if (record.kind == Record::Kind::kStart) {
      shell_served_ = true;
      shell_cwd_ = config_.cwd;  // it may be back when the next one starts
    }
    driver_->on_record(record);
    sides_->on_record(driver_->channel(), record);
    if (record.kind == Record::Kind::kShell) {
      shell_served_ = false;
      shell_age_ = {};
      watch_terminal();
    }
  }
}

void LiveBranch::on_start_failed(const Record& record) {
  if (record.numbers[0] != kShellRequest && record.numbers[0] != kHolderRequest) return;
  if (record.numbers[0] == kHolderRequest) holder_lost_ = true;
  cwd_gone_ = record.text == "chdir";
  start_failure_ = os::os_error(static_cast<int>(record.numbers[1]),
                                "in the branch's root: " + failed_step(record.text, config_));
}

Status LiveBranch::pump_until(const std::function<bool()>& done, Deadline deadline,
                              const std::string& what) {
  for (;;) {
    // First: a shell that could not start has ended as well, which may be what done() waits for.
    if (start_failure_) {
      Error error = std::move(*start_failure_);
      start_failure_.reset();
      return std::move(error).while_doing(what);
    }
    if (done()) return Ok{};
    if (deadline.passed()) return fail(ErrorCode::kTimedOut, what + " took too long");
    SF_TRY(parts_.poller.run_once(deadline.min(next_wake())));
    on_time();
  }
}

Result<User> LiveBranch::user(const std::string& name) const {
  auto passwd = os::read_file(std::string(kRootMount) + "/etc/passwd");
  auto group = os::read_file(std::string(kRootMount) + "/etc/group");
  return find_user(name, passwd ? *passwd : "", group ? *group : "");
}

void LiveBranch::side_exec(const SideExecRequest& request, SideCommands::Done done) {
  driver_->forget_look();  // it may signal the shell
  auto who = request.user.empty() ? Result<User>(user_) : user(request.user);
  if (!who) return done(std::move(who).error());
  BranchConfig config = config_;
  for (const auto& [name, value] : request.env) config.env[name] = value;
  StartRequest start{.kind = "side",
                     .id = 0,
                     .who = who->credentials,
                     .cwd = request.cwd.empty() ? config_.cwd : request.cwd,
                     .argv = request.argv,
                     .env = shell_environment(config, who->name, who->home)};
  sides_->run(driver_->channel(), std::move(start), request, std::move(done));
}

Status LiveBranch::resize(WindowSize size) {
  SF_TRY(os::set_window_size(driver_->master_fd(), size.rows, size.cols));
  driver_->screen().resize(size);
  driver_->forget_look();  // the shell's LINES and COLUMNS follow
  return Ok{};
}

bool LiveBranch::tcp_in_flight() const {
  // The host's network is not ours to hold; connections over it come back closed anyway.
  return config_.network == Network::kNone &&
         (has_tcp_in_flight(proc_text(init_.pid(), "net/tcp")) ||
          has_tcp_in_flight(proc_text(init_.pid(), "net/tcp6")));
}

Status LiveBranch::catch_up(const CatchUp& missed) {
  std::optional<Result<ExecResult>> result;
  driver_->catch_up(missed, [&](Result<ExecResult> r) { result = std::move(r); });
  SF_TRY(pump_until([&] { return result.has_value(); }, Deadline::after(kStartTime),
                    "telling the shell what it missed"));
  if (!result->ok()) return std::move(*result).error();
  return Ok{};
}

std::optional<StateMark> LiveBranch::mark() {
  if (!driver_->look()) return std::nullopt;
  // Its last command may have ended only now.
  for (Deadline patience = Deadline::after(kPromptTime); !driver_->waits_at_prompt();) {
    if (patience.passed()) return std::nullopt;
    std::this_thread::sleep_for(microseconds(100));
  }
  return mark_state(as_marked(), *driver_->look());
}

MarkedBranch LiveBranch::as_marked() const {
  MarkedBranch branch{.init = init_.pid(),
                      .shell = driver_->shell_host(),
                      .terminal = driver_->master_fd(),
                      .upper = parts_.units.paths(parts_.unit).upper,
                      .commands = driver_->commands()};
  for (pid_t child : os::children_of(init_.pid())) {
    if (holder_ && os::namespace_pid(child) == *holder_) branch.holder = child;
  }
  return branch;
}

std::optional<CapturedState> LiveBranch::same_as(const StateMark& base, const StateMark& now) {
  marked_at_ = now.commands;
  driver_->on_terminal();
  if (now.digest != base.digest || now.commands < base.commands) return std::nullopt;
  auto commands = driver_->commands_since(base.commands);
  const std::optional<ShellLook>& look = driver_->look();
  if (!commands || !look) return std::nullopt;
  // One line each. An $LINENO that does not count so is a variable of the user's.
  const long lines = now.line - base.line;
  if (lines != static_cast<long>(commands->size())) return std::nullopt;
  std::size_t bytes = look->last_word.size();
  for (const std::string& command : *commands) bytes += command.size();
  if (bytes > kMaxCatchUp || !std::ranges::all_of(*commands, is_plain)) return std::nullopt;
  CapturedState state;
  state.hostname = current_hostname();
  state.user = user_;
  state.shell = driver_->state();
  if (!state.shell.typed.empty()) return std::nullopt;
  auto last_pid = read_pid_counter(init_.pid());
  if (!last_pid) return std::nullopt;
  state.last_pid = *last_pid;
  if (!commands->empty())
    state.shell.catch_up = CatchUp{.status = driver_->last_status(),
                                   .last_word = look->last_word,
                                   .lines = lines,
                                   .commands = std::move(*commands),
                                   .programs = look->programs};
  return state;
}

Result<CapturedState> LiveBranch::capture(const std::string& image_dir,
                                          const std::string& sealed_unit,
                                          std::optional<StateMark> mark, const FaultPlan& faults) {
  SF_TRY(faults.at("checkpoint.before_dump"));
  CapturedState state;
  state.mark = std::move(mark);
  marked_at_ = driver_->commands();
  state.hostname = current_hostname();
  state.user = user_;
  state.own_ipc = has_ipc_objects();
  state.tcp_in_flight = tcp_in_flight();
  Stopwatch stopped;
  Status captured =
      parts_.engine.capture({.root = init_.pid(),
                             .image_dir = image_dir,
                             .terminal_session = driver_->shell(),
                             .terminal_group = driver_->foreground_group(),
                             .dump_ipc = state.own_ipc,
                             .lock_network = state.tcp_in_flight,
                             .while_stopped = [&]() -> Status {
                               SF_TRY(faults.at("checkpoint.after_dump"));
                               state.tcp_in_flight = state.tcp_in_flight || tcp_in_flight();
                               driver_->on_terminal();
                               SF_TRY(parts_.units.copy(parts_.unit, sealed_unit));
                               state.shell = driver_->state();
                               SF_TRY_ASSIGN(state.last_pid, read_pid_counter(init_.pid()));
                               return faults.at("checkpoint.after_files");
                             }});
  state.stopped = stopped.elapsed();
  if (!captured) {
    (void)parts_.units.remove(sealed_unit);
    return std::move(captured).error();
  }
  return state;
}

void LiveBranch::on_time() {
  if (driver_) driver_->on_time();
  if (sides_) sides_->on_time();
}

Deadline LiveBranch::next_wake() const {
  Deadline wake = driver_ ? driver_->next_wake() : Deadline::never();
  return sides_ ? wake.min(sides_->next_wake()) : wake;
}

}  // namespace sf::waypoint
