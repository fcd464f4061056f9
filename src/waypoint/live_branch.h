// LiveBranch: one live session tree inside the keeper: its files, its init, its shell, its
// terminal. Made either fresh from a base root or from a checkpoint; captured any number of times;
// ends with this object.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "os/cgroup.h"
#include "os/poller.h"
#include "os/process.h"
#include "waypoint/branch_config.h"
#include "waypoint/captured_state.h"
#include "waypoint/engine.h"
#include "waypoint/fault_plan.h"
#include "waypoint/shell_driver.h"
#include "waypoint/side_exec.h"
#include "waypoint/state_mark.h"
#include "waypoint/unit_store.h"
#include "waypoint/user_lookup.h"

namespace sf::waypoint {

struct BranchParts {
  UnitStore& units;
  ProcessEngine& engine;
  os::Poller& poller;
  const os::Cgroup& cgroup;
  std::string unit;  // the live unit's name; made here, removed by the keeper
};

class LiveBranch {
 public:
  static Result<std::unique_ptr<LiveBranch>> start(BranchParts parts, BranchConfig config,
                                                   const std::string& template_unit,
                                                   const FaultPlan& faults);
  static Result<std::unique_ptr<LiveBranch>> restore(BranchParts parts, BranchConfig config,
                                                     const std::string& sealed_unit,
                                                     const std::string& image_dir,
                                                     const CapturedState& state,
                                                     const FaultPlan& faults);
  ~LiveBranch();

  ShellDriver& shell() { return *driver_; }
  pid_t init() const { return init_.pid(); }
  pid_t holder() const { return holder_.value_or(1); }  // as the branch sees it
  int init_pidfd() const { return init_.pidfd(); }
  const BranchConfig& config() const { return config_; }

  // Why there is no shell to run a command.
  std::optional<Error> shell_failure() const;
  void start_shell_again();
  void side_exec(const SideExecRequest& request, SideCommands::Done done);
  Status resize(WindowSize size);
  // How all stands, if nothing moves and all of it can be seen into.
  std::optional<StateMark> mark();
  // When nothing but harmless commands came since `base`: what differs from it all the same.
  // Requires: `now` is mark().
  std::optional<CapturedState> same_as(const StateMark& base, const StateMark& now);
  // Requires: shell().at_rest().
  Result<CapturedState> capture(const std::string& image_dir, const std::string& sealed_unit,
                                std::optional<StateMark> mark, const FaultPlan& faults);

  void on_time();
  Deadline next_wake() const;

 private:
  LiveBranch(BranchParts parts, BranchConfig config)
      : parts_(std::move(parts)), config_(std::move(config)), shell_cwd_(config_.cwd) {}

  Status make_files(const std::string& from_unit);
  Status start_processes();
  Status open_terminal();
  Status start_shell();
  Status request_holder();
  void on_holder(pid_t holder);
  Status warm_up_shell();
  Status catch_up(const CatchUp& missed);
  Status watch();
  void on_events();
  Result<User> user(const std::string& name) const;
  StartRequest shell_request() const;
  std::optional<Error> on_shell_ended();
  void on_start_failed(const Record& record);
  void watch_terminal();
  bool tcp_in_flight() const;
  MarkedBranch as_marked() const;
  // Serves this branch's events until `done` says so.
  Status pump_until(const std::function<bool()>& done, Deadline deadline, const std::string& what);

  BranchParts parts_;
  BranchConfig config_;
  User user_;
  os::Child init_;
  std::unique_ptr<ShellDriver> driver_;
  std::unique_ptr<SideCommands> sides_;
  std::optional<pid_t> holder_;
  long marked_at_ = 0;  // how many commands there were at the last checkpoint
  bool holder_lost_ = false;
  std::string shell_cwd_;
  bool cwd_gone_ = false;
  bool started_ = false;
  bool shell_served_ = false;
  Stopwatch shell_age_;
  std::optional<Error> start_failure_;
};

}  // namespace sf::waypoint
