#include "shell/shell_host.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <thread>

#include "os/error.h"
#include "os/file.h"
#include "os/process.h"
#include "os/socket.h"
#include "os/terminal.h"
#include "shell/branch_files.h"
#include "shell/init/init_protocol.h"
#include "shell/permitted_calls.h"

namespace sf::waypoint {
namespace {

constexpr auto kStartTime = seconds(30);
constexpr auto kShortLife = milliseconds(200);  // of a shell that did nothing
// Ids of requests to init; side commands count from 1.
constexpr long kShellRequest = 0;
constexpr long kHolderRequest = -1;
constexpr std::uint32_t kTerminalEvents = EPOLLIN | EPOLLET;

// Init reports the name of the failed system call. The message names its argument instead.
std::string failed_step(const std::string& step, const BranchConfig& config) {
  if (step == "chdir") return "cwd " + config.cwd;
  if (step == "exec") return "running bash";
  return step;
}

}  // namespace

ShellHost::~ShellHost() {
  if (driver_) {
    poller_.remove(driver_->channel().events_fd());
    poller_.remove(driver_->master_fd());
  }
  sides_.reset();
}

Status ShellHost::choose_user() {
  SF_TRY_ASSIGN(user_, find(config_.user));
  return Ok{};
}

Status ShellHost::open(pid_t init, const std::string& seen) {
  init_ = init;
  seen_root_ = seen.empty() ? "/" : seen;
  SF_TRY_ASSIGN(os::UniqueFd master, os::open_terminal_master(seen + "/dev/pts"));
  SF_TRY(change_window(gate_.open(), master.get(), config_.window));
  std::string slave = seen + kTerminalPath;
  if (::chown(slave.c_str(), user_.credentials.uid, static_cast<gid_t>(-1)) != 0)
    return os::last_error("changing the owner of the terminal to the branch's user");
  SF_TRY_ASSIGN(ShellChannel channel, ShellChannel::open(init));
  driver_ = std::make_unique<ShellDriver>(init, std::move(master), std::move(channel),
                                          Screen(config_.window), gate_);
  sides_ = std::make_unique<SideCommands>(init, poller_, gate_);
  return watch();
}

Status ShellHost::adopt(pid_t init, os::UniqueFd terminal, const ShellState& state,
                        const User& user) {
  SF_TRY_ASSIGN(Screen screen, Screen::load(state.screen));
  init_ = init;
  seen_root_ = "/proc/" + std::to_string(init) + "/root";
  user_ = user;
  if (state.holder != 1) holder_ = state.holder;
  SF_TRY_ASSIGN(ShellChannel channel, ShellChannel::open(init));
  SF_TRY(channel.install(gate_.open(), state.holder, user_.credentials));
  SF_TRY(os::set_nonblocking(terminal.get()));
  driver_ = std::make_unique<ShellDriver>(init, std::move(terminal), std::move(channel),
                                          std::move(screen), gate_);
  sides_ = std::make_unique<SideCommands>(init, poller_, gate_);
  driver_->adopt(state);
  started_ = true;
  if (state.shell == 0)
    start_failure_ = fail(ErrorCode::kOs, "no shell was running at the checkpoint");
  sides_->adopt_orphans(driver_->channel());
  return watch();
}

Status ShellHost::start_shell() {
  pid_t holder = 1;
  if (user_.credentials.uid != 0) {
    // An ordinary user may not open the descriptors of root's init. A process of that user, the
    // holder, has copies of them.
    SF_TRY(request_holder());
    SF_TRY(pump_until([&] { return holder_.has_value(); }, Deadline::after(kStartTime),
                      "starting the holder"));
    holder = *holder_;
  }
  SF_TRY(driver_->channel().install(gate_.open(), holder, user_.credentials));
  SF_TRY(driver_->channel().request(gate_.open(), shell_request()));
  SF_TRY(pump_until([&] { return driver_->shell() != 0; }, Deadline::after(kStartTime),
                    "starting the shell"));
  return warm_up_shell();
}

Status ShellHost::request_holder() {
  return driver_->channel().request(gate_.open(), {.kind = "holder",
                                                   .id = kHolderRequest,
                                                   .who = user_.credentials,
                                                   .cwd = "/",
                                                   .argv = {},
                                                   .env = {}});
}

// The user may kill the holder (`kill -9 -1`). The next one has another pid, which the paths in the
// script must use.
void ShellHost::on_holder(pid_t holder) {
  holder_ = holder;
  driver_->set_holder(holder);
}

// Runs a first command. After it, the new shell has finished its changes to the terminal, which an
// engine must not capture half done, and the driver knows how this bash waits at its prompt.
Status ShellHost::warm_up_shell() {
  SF_TRY(pump_until([&] { return driver_->ready(); }, Deadline::after(kStartTime),
                    "waiting for the shell's first prompt"));
  std::optional<Result<Observation>> result;
  driver_->run(gate_.open(), {.command = ":", .timeout = milliseconds(0), .fingerprint = true}, {},
               [&](Result<Observation> r) { result = std::move(r); });
  SF_TRY(pump_until([&] { return result.has_value(); }, Deadline::after(kStartTime),
                    "waiting for the shell"));
  if (!result->ok()) return std::move(*result).error();
  SF_TRY(driver_->type(gate_.open(), ""));  // makes ready() check that the shell is at its prompt
  Deadline deadline = Deadline::after(seconds(5));
  while (!driver_->ready()) {
    if (deadline.passed()) return fail(ErrorCode::kTimedOut, "the shell did not reach its prompt");
    std::this_thread::sleep_for(microseconds(200));
  }
  started_ = true;
  return Ok{};
}

StartRequest ShellHost::shell_request() const {
  std::string holder = std::to_string(holder_.value_or(1));
  return {.kind = "shell",
          .id = kShellRequest,
          .who = user_.credentials,
          .cwd = shell_cwd_,
          .argv = {"bash", "--noprofile", "--rcfile",
                   "/proc/" + holder + "/fd/" + std::to_string(kRcFile), "--noediting", "-i"},
          .env = shell_environment(config_, user_.name, user_.home)};
}

Status ShellHost::watch() {
  driver_->restart_shell = [this] { return on_shell_ended(); };
  SF_TRY(
      poller_.add(driver_->channel().events_fd(), EPOLLIN, [this](std::uint32_t) { on_events(); }));
  // Edge-triggered: while no process has the terminal open (between two shells), the master reports
  // a hang-up. It reports that only once, and later reports new output. on_terminal() reads until
  // EAGAIN, as edge-triggered events require.
  SF_TRY(poller_.add(driver_->master_fd(), kTerminalEvents, [this](std::uint32_t events) {
    if ((events & EPOLLOUT) != 0) driver_->on_input_room();
    driver_->on_terminal();
  }));
  driver_->on_input_waits = [this](bool waits) { watch_for_room(waits); };
  watch_for_room(driver_->input_waits());
  return Ok{};
}

// When a process reads from the terminal, the master reports the room (EPOLLOUT). Every command
// reads, so the poller asks for this event only while keys wait.
void ShellHost::watch_for_room(bool wanted) {
  if (wanted == watches_for_room_) return;
  const std::uint32_t events = wanted ? kTerminalEvents | EPOLLOUT : kTerminalEvents;
  if (poller_.change(driver_->master_fd(), events)) watches_for_room_ = wanted;
}

// Starts a new shell when one has ended. If the shell could not start, or ended before it did
// anything, a new one would end, too; then the next command starts one.
std::optional<Error> ShellHost::on_shell_ended() {
  if (started_ && std::exchange(cwd_gone_, false) && shell_cwd_ != "/") {
    shell_cwd_ = "/";
    start_shell_again(gate_.open());
    return std::nullopt;
  }
  if (!start_failure_ && !shell_served_ && shell_age_.elapsed() < kShortLife)
    start_failure_ =
        fail(ErrorCode::kUnsupported,
             "the root's bash ends as soon as it starts: " + driver_->background_text(),
             "try: chroot " + config_.root + " /bin/bash -c true");
  if (!start_failure_) start_shell_again(gate_.open());
  return start_failure_;
}

std::optional<Error> ShellHost::shell_failure() const {
  return driver_->shell() != 0 && !holder_lost_ ? std::nullopt : start_failure_;
}

void ShellHost::start_shell_again(const ChangePermit& permit) {
  start_failure_.reset();
  if (std::exchange(holder_lost_, false)) (void)request_holder();
  if (driver_->shell() != 0) return;
  if (auto settings = os::terminal_settings(driver_->master_fd())) {
    cfmakeraw(&*settings);  // a defined state, to which the flags of cooked mode are added
    settings->c_iflag |= ICRNL | IXON | BRKINT;
    settings->c_oflag |= OPOST | ONLCR;
    settings->c_lflag |= ISIG | ICANON | IEXTEN | ECHO | ECHOE | ECHOK | ECHOCTL | ECHOKE;
    (void)change_terminal(permit, driver_->master_fd(), *settings);
  }
  (void)driver_->channel().request(permit, shell_request());
}

void ShellHost::on_events() {
  for (const Record& record : driver_->channel().read_records(gate_)) {
    if (record.kind == Record::Kind::kHolder) on_holder(static_cast<pid_t>(record.numbers[0]));
    if (record.kind == Record::Kind::kExited && record.numbers[0] == holder_)
      (void)request_holder();
    if (record.kind == Record::Kind::kFailed) on_start_failed(record);
    if (record.kind == Record::Kind::kStart) {
      shell_served_ = true;
      shell_cwd_ = config_.cwd;  // the directory may exist again when the next shell starts
    }
    driver_->on_record(record);
    sides_->on_record(driver_->channel(), record);
    if (record.kind == Record::Kind::kShell) {
      shell_served_ = false;
      shell_age_ = {};
    }
  }
  sides_->drop_swept_orphans();
}

void ShellHost::on_start_failed(const Record& record) {
  if (record.numbers[0] != kShellRequest && record.numbers[0] != kHolderRequest) return;
  if (record.numbers[0] == kHolderRequest) holder_lost_ = true;
  cwd_gone_ = record.text == "chdir";
  start_failure_ = os::os_error(static_cast<int>(record.numbers[1]),
                                "in the branch's root: " + failed_step(record.text, config_));
}

Status ShellHost::pump_until(const std::function<bool()>& done, Deadline deadline,
                             const std::string& what) {
  for (;;) {
    // Check this before done(): a shell that could not start has ended, and done() may return true.
    if (start_failure_) {
      Error error = std::move(*start_failure_);
      start_failure_.reset();
      return std::move(error).while_doing(what);
    }
    if (done()) return Ok{};
    if (deadline.passed()) return fail(ErrorCode::kTimedOut, what + " took too long");
    SF_TRY(poller_.run_once(deadline.min(next_wake())));
    on_time();
  }
}

Result<User> ShellHost::find(const std::string& name) const {
  auto passwd = os::read_file(root_ + "/etc/passwd");
  auto group = os::read_file(root_ + "/etc/group");
  return find_user(name, passwd ? *passwd : "", group ? *group : "");
}

void ShellHost::side_exec(const ChangePermit& permit, const SideRequest& request,
                          SideCommands::Done done) {
  driver_->forget_fingerprint();  // the side command may send the shell a signal
  auto who = request.user.empty() ? Result<User>(user_) : find(request.user);
  if (!who) return done(std::move(who).error());
  BranchConfig config = config_;
  for (const auto& [name, value] : request.env) config.env[name] = value;
  StartRequest start{.kind = "side",
                     .id = 0,
                     .who = who->credentials,
                     .cwd = request.cwd.empty() ? config_.cwd : request.cwd,
                     .argv = request.argv,
                     .env = shell_environment(config, who->name, who->home)};
  sides_->run(permit, driver_->channel(), std::move(start), request, std::move(done));
}

OwnProcesses ShellHost::own_processes() const {
  if (init_ == ::getpid())  // an agent: same PID namespace as the shell
    return {.init = init_, .shell = driver_->shell(), .holder = holder_.value_or(init_)};
  OwnProcesses own{.init = init_, .shell = driver_->shell_host()};
  if (!holder_) own.holder = init_;
  const bool knows_shell = own.shell != 0 || driver_->shell() == 0;
  if (knows_shell && own.holder != 0) return own;
  for (pid_t child : os::children_of(init_)) {
    const std::optional<pid_t> inside = os::namespace_pid(child);
    if (!knows_shell && inside == driver_->shell()) own.shell = child;
    if (holder_ && inside == *holder_) own.holder = child;
  }
  return own;
}

Status ShellHost::resize(const ChangePermit& permit, WindowSize size) {
  SF_TRY(change_window(permit, driver_->master_fd(), size));
  driver_->screen().resize(size);
  driver_->forget_fingerprint();  // the shell's LINES and COLUMNS follow
  return Ok{};
}

Status ShellHost::write_file(const ChangePermit& permit, const std::string& path,
                             std::string_view content) {
  return write_branch_file(permit, seen_root_, config_.user, path, content);
}

Result<std::string> ShellHost::read_file(const std::string& path, std::size_t max_bytes) const {
  return read_branch_file(seen_root_, path, max_bytes);
}

Status ShellHost::catch_up(const ChangePermit& permit, const CatchUp& missed) {
  std::optional<Result<Observation>> result;
  driver_->catch_up(permit, missed, [&](Result<Observation> r) { result = std::move(r); });
  SF_TRY(pump_until([&] { return result.has_value(); }, Deadline::after(kStartTime),
                    "updating the restored shell"));
  if (!result->ok()) return std::move(*result).error();
  return Ok{};
}

void ShellHost::on_time() {
  if (driver_) driver_->on_time();
  if (sides_) sides_->on_time();
}

Deadline ShellHost::next_wake() const {
  Deadline wake = driver_ ? driver_->next_wake() : Deadline::never();
  return sides_ ? wake.min(sides_->next_wake()) : wake;
}

}  // namespace sf::waypoint
