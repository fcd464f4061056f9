// ShellHost: owns one shell on a terminal below an init. Starts the shell, restarts it when it
// ends, and runs commands in it and beside it. Knows nothing of file layers and checkpoints.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "os/poller.h"
#include "shell/branch_config.h"
#include "shell/change_gate.h"
#include "shell/running_processes.h"
#include "shell/shell_driver.h"
#include "shell/side_exec.h"
#include "shell/user_lookup.h"

namespace sf::waypoint {

class ShellHost {
 public:
  // `root`: path of the branch's root directory for the caller.
  ShellHost(os::Poller& poller, BranchConfig config, std::string root, ChangeGate& gate)
      : poller_(poller),
        gate_(gate),
        config_(std::move(config)),
        root_(std::move(root)),
        shell_cwd_(config_.cwd) {}
  ~ShellHost();
  ShellHost(const ShellHost&) = delete;
  ShellHost& operator=(const ShellHost&) = delete;

  // Looks up the user. Call it before open().
  Status choose_user();
  // Opens the terminal. `seen`: path of init's root for the caller, with init's mounts.
  // Requires: `init` runs run_init(), /dev/pts is a devpts of the branch's own.
  Status open(pid_t init, const std::string& seen);
  // Starts the shell and waits for its prompt. Requires: open().
  Status start_shell();
  // Takes over a shell that was restored with its init and its terminal.
  Status adopt(pid_t init, os::UniqueFd terminal, const ShellState& state, const User& user);
  // Applies a CatchUp to a restored shell that is older than the state to restore.
  Status catch_up(const ChangePermit& permit, const CatchUp& missed);

  ShellDriver& shell() { return *driver_; }
  const ShellDriver& shell() const { return *driver_; }
  const BranchConfig& config() const { return config_; }
  const User& user() const { return user_; }
  // The process that holds init's descriptors for an ordinary user. Its pid in the branch.
  const std::optional<pid_t>& holder() const { return holder_; }

  // With the pids in the caller's PID namespace.
  OwnProcesses own_processes() const;

  // Whether the shell waits for a command, no side command runs and no query is unanswered.
  bool is_idle() { return driver_->waits_at_prompt() && !driver_->owes_answers() && !has_sides(); }
  bool has_sides() const { return sides_->any(); }
  // Whether the shell can take a command, no side command runs, and the shell does not act by
  // itself before the next request.
  bool is_at_rest() { return driver_->ready() && !has_sides() && !driver_->may_act(); }
  // The reason why no shell is running, if the last start failed.
  std::optional<Error> shell_failure() const;
  void start_shell_again(const ChangePermit& permit);
  void side_exec(const ChangePermit& permit, const SideRequest& request, SideCommands::Done done);
  Status resize(const ChangePermit& permit, WindowSize size);
  // A new file belongs to the branch's user.
  Status write_file(const ChangePermit& permit, const std::string& path, std::string_view content);
  Result<std::string> read_file(const std::string& path, std::size_t max_bytes) const;

  void on_time();
  Deadline next_wake() const;

 private:
  Status request_holder();
  void on_holder(pid_t holder);
  Status warm_up_shell();
  Status watch();
  void watch_for_room(bool wanted);
  void on_events();
  Result<User> find(const std::string& name) const;
  StartRequest shell_request() const;
  std::optional<Error> on_shell_ended();
  void on_start_failed(const Record& record);
  // Serves this branch's events until `done` returns true.
  Status pump_until(const std::function<bool()>& done, Deadline deadline, const std::string& what);

  os::Poller& poller_;
  pid_t init_ = 0;
  ChangeGate& gate_;
  BranchConfig config_;
  std::string root_;
  std::string seen_root_;  // path of init's root for the caller, with the branch's mounts
  User user_;
  std::unique_ptr<ShellDriver> driver_;
  std::unique_ptr<SideCommands> sides_;
  std::optional<pid_t> holder_;
  bool holder_lost_ = false;
  std::string shell_cwd_;
  bool cwd_gone_ = false;
  bool started_ = false;
  bool shell_served_ = false;
  bool watches_for_room_ = false;
  Stopwatch shell_age_;
  std::optional<Error> start_failure_;
};

}  // namespace sf::waypoint
