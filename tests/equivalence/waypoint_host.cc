#include "waypoint_host.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

#include "os/file.h"
#include "os/process.h"

namespace sf::equivalence {
namespace {

constexpr seconds kLeakTimeout{5};
constexpr seconds kClosingTimeout{1};
constexpr int kFewRestores = 20;
constexpr milliseconds kCaptureTimeout{200};

// SF_ENGINE selects the process engine of the branches.
Result<waypoint::EngineChoice> wanted_engine() {
  const char* name = std::getenv("SF_ENGINE");
  if (name == nullptr) return waypoint::BranchConfig{}.engine;
  auto choice = waypoint::engine_choice_from(name);
  if (!choice) return invalid(std::string("SF_ENGINE=") + name + ": unknown engine");
  return *choice;
}

// SF_AHEAD: 1 waits for a precapture or prerestore before each checkpoint and restore; 0 disables
// both.
std::optional<bool> wants_speculation() {
  const char* wanted = std::getenv("SF_AHEAD");
  if (wanted == nullptr) return std::nullopt;
  return std::string_view(wanted) != "0";
}

// The disturbance kills every process that it can reach, so it must not reach the host's processes.
Status check_isolation(const std::string& inner_pid_namespace) {
  SF_TRY_ASSIGN(std::string outer, os::read_link("/proc/self/ns/pid"));
  if (inner_pid_namespace.empty() || inner_pid_namespace == outer + "\n") {
    return fail(ErrorCode::kUnsupported, "the branch shares the host's PID namespace");
  }
  if (os::exists("/w"))
    return fail(ErrorCode::kUnsupported, "the branch writes to the host: /w is there");
  return Ok{};
}

}  // namespace

Result<std::unique_ptr<WaypointHost>> WaypointHost::open(waypoint::FileLayerKind file_layers) {
  std::unique_ptr<WaypointHost> host(new WaypointHost());
  SF_TRY_ASSIGN(host->programs_, test_programs());
  SF_TRY_ASSIGN(host->engine_, wanted_engine());
  waypoint::WaypointOptions options;
  options.store_dir = host->dir_ / "store";
  options.file_layers = file_layers;
  host->speculates_ = wants_speculation();
  if (host->speculates_ == false) options.prerestores = 0;
  host->leaks_.add_mark(host->dir_.path());
  SF_TRY_ASSIGN(waypoint::Waypoint opened, waypoint::Waypoint::open(std::move(options)));
  host->waypoint_ = std::make_unique<waypoint::Waypoint>(std::move(opened));
  return host;
}

void WaypointHost::close() {
  if (waypoint_ != nullptr) waypoint_->end_all();
  waypoint_.reset();
  // Only a few scenarios have a running clock, which forbids a prerestore.
  if (speculates_ == true && gone_back_ > kFewRestores) {
    EXPECT_GT(foreseen_ * 10, gone_back_ * 8) << foreseen_ << " of " << gone_back_;
    EXPECT_GT(precaptured_, 0) << "of " << checkpoints_;  // none with sleepers or servers
  }
  leaks_.verify(Deadline::after(kLeakTimeout));
  EXPECT_FALSE(os::exists("/w")) << "a branch wrote to the host";
}

Result<BranchId> WaypointHost::start(const std::string& user) {
  waypoint::BranchConfig config;
  config.user = user;
  config.engine = engine_;
  SF_TRY_ASSIGN(BranchId branch, waypoint_->start(config));
  leaks_.add_mark(branch.value());
  SideRequest install;
  install.argv = {"bash", "-c", install_script()};
  install.user = "root";
  install.input = programs_;
  SF_TRY_ASSIGN(SideObservation installed, waypoint_->side_exec(branch, install));
  if (installed.exit_code != 0) {
    return fail(ErrorCode::kOs, "installing the test programs: " + installed.standard_error);
  }
  SF_TRY(check_isolation(installed.standard_output));
  return branch;
}

void WaypointHost::await_tree(const CheckpointId& checkpoint) {
  if (speculates_ != true) return;
  waypoint_->settle();
  ++gone_back_;
  for (const CheckpointId& ready : waypoint_->ready()) foreseen_ += ready == checkpoint ? 1 : 0;
}

void WaypointHost::await_capture(const BranchId& branch) {
  if (speculates_ != true) return;
  auto pids = waypoint_->pids(branch);
  for (Deadline patience = Deadline::after(kCaptureTimeout); pids && !patience.passed();) {
    if (os::process_state(pids->shell) == 't') return;
    std::this_thread::sleep_for(milliseconds(1));
  }
}

Result<BranchId> WaypointHost::fork(const CheckpointId& checkpoint) {
  await_tree(checkpoint);
  std::vector<Result<BranchId>> forks = waypoint_->fork(checkpoint, 1);
  if (forks.empty()) return fail(ErrorCode::kOs, "fork() returned nothing");
  if (!forks.front().ok()) return std::move(forks.front()).error().while_doing("forking");
  leaks_.add_mark(forks.front()->value());
  return std::move(forks.front());
}

Result<Observation> WaypointHost::exec(const BranchId& branch, const std::string& command,
                                       milliseconds patience) {
  ExecRequest request;
  request.command = command;
  request.timeout = patience;
  SF_TRY_ASSIGN(sf::Observation result, waypoint_->exec(branch, request));
  Observation seen{command, std::move(result.output), result.exit_code};
  if (result.timed_out) seen.output += "(timed out)\n";
  if (result.shell_restarted) seen.output += "(the shell was lost)\n";
  return seen;
}

Result<CheckpointId> WaypointHost::checkpoint(const BranchId& branch) {
  // The engine may decline only for a moment: a server has not yet seen that its last client is
  // gone, or reads /proc just now.
  Deadline patience = Deadline::after(kClosingTimeout);
  for (;;) {
    await_capture(branch);
    auto info = waypoint_->checkpoint(branch);
    if (info) {
      ++checkpoints_;
      precaptured_ += info->precaptured ? 1 : 0;
      return info->id;
    }
    bool closing = engine_ == waypoint::EngineChoice::kNative &&
                   (info.error().message.find("it is a connection") != std::string::npos ||
                    info.error().message.find("it is a /proc file") != std::string::npos);
    if (!closing || patience.passed()) return std::move(info).error();
    std::this_thread::sleep_for(milliseconds(20));
  }
}

Status WaypointHost::restore(const BranchId& branch, const CheckpointId& checkpoint) {
  await_tree(checkpoint);
  return waypoint_->restore(branch, checkpoint);
}

}  // namespace sf::equivalence
