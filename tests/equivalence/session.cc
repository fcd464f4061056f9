#include "session.h"

#include <gtest/gtest.h>

#include <utility>

#include "os/file.h"

namespace sf::equivalence {
namespace {

constexpr seconds kLeakPatience{5};

constexpr const char* kInstall = R"(set -e
cat > /usr/local/bin/stateful
cat > /usr/local/bin/wait-for <<'END'
#!/bin/bash
for ((i = 0; i < 600; i++)); do
  "$@" >/dev/null 2>&1 && exit 0
  sleep 0.05
done
exit 1
END
chmod 755 /usr/local/bin/stateful /usr/local/bin/wait-for
mkdir -m 1777 /w
readlink /proc/self/ns/pid)";

Result<std::string> own_directory() {
  SF_TRY_ASSIGN(std::string self, os::read_link("/proc/self/exe"));
  return self.substr(0, self.rfind('/'));
}

// The disturbance kills whatever it can reach: it must not be able to reach the host.
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

Result<std::unique_ptr<TestStore>> TestStore::open(waypoint::UnitKind units) {
  std::unique_ptr<TestStore> store(new TestStore());
  SF_TRY_ASSIGN(std::string bin, own_directory());
  SF_TRY_ASSIGN(store->programs_, os::read_file(bin + "/stateful", 64U << 20U));
  waypoint::WaypointOptions options;
  options.store_dir = store->dir_ / "store";
  options.units = units;
  store->leaks_.add_mark(store->dir_.path());
  SF_TRY_ASSIGN(waypoint::Waypoint opened, waypoint::Waypoint::open(std::move(options)));
  store->waypoint_ = std::make_unique<waypoint::Waypoint>(std::move(opened));
  return store;
}

void TestStore::close() {
  if (waypoint_ != nullptr) waypoint_->end_all();
  waypoint_.reset();
  leaks_.verify(Deadline::after(kLeakPatience));
  EXPECT_FALSE(os::exists("/w")) << "a branch wrote to the host";
}

Session::Session(TestStore& store, BranchId branch) : store_(&store), branch_(std::move(branch)) {
  store_->own(branch_);
}

Session::Session(Session&& other) noexcept
    : store_(std::exchange(other.store_, nullptr)),
      branch_(std::move(other.branch_)),
      patience_(other.patience_) {}

Session::~Session() {
  if (store_ == nullptr) return;
  Status ended = store_->waypoint().end(branch_);
  if (!ended.ok())
    ADD_FAILURE() << "ending " << branch_.value() << ": " << ended.error().describe();
}

Result<Session> Session::start(TestStore& store, const std::string& user) {
  waypoint::BranchConfig config;
  config.user = user;
  SF_TRY_ASSIGN(BranchId branch, store.waypoint().start(config));
  Session session(store, branch);
  waypoint::SideExecRequest install;
  install.argv = {"bash", "-c", kInstall};
  install.user = "root";
  install.input = store.programs();
  SF_TRY_ASSIGN(waypoint::SideExecResult installed, store.waypoint().side_exec(branch, install));
  if (installed.exit_code != 0) {
    return fail(ErrorCode::kOs, "installing the test programs: " + installed.standard_error);
  }
  SF_TRY(check_isolation(installed.standard_output));
  SF_TRY(session.run("cd /w"));
  return session;
}

Result<Session> Session::fork(TestStore& store, const CheckpointId& checkpoint) {
  std::vector<Result<BranchId>> forks = store.waypoint().fork(checkpoint, 1);
  if (forks.empty()) return fail(ErrorCode::kOs, "fork() returned nothing");
  if (!forks.front().ok()) return std::move(forks.front()).error().while_doing("forking");
  return Session(store, std::move(forks.front()).value());
}

Result<Observation> Session::run(const std::string& command) {
  waypoint::ExecRequest request;
  request.command = command;
  request.timeout = patience_;
  Result<waypoint::ExecResult> result = store_->waypoint().exec(branch_, request);
  if (!result.ok()) return std::move(result).error().while_doing("running " + command);
  Observation seen{command, std::move(result->output), result->exit_code};
  if (result->timed_out) seen.output += "(timed out)\n";
  if (result->shell_restarted) seen.output += "(the shell was lost)\n";
  return seen;
}

Result<Observations> Session::run(const std::vector<std::string>& commands) {
  Observations all;
  for (const std::string& command : commands) {
    SF_TRY_ASSIGN(Observation seen, run(command));
    all.push_back(std::move(seen));
  }
  return all;
}

Result<CheckpointId> Session::checkpoint() {
  Result<waypoint::CheckpointInfo> info = store_->waypoint().checkpoint(branch_);
  if (!info.ok()) return std::move(info).error().while_doing("checkpoint");
  return info->id;
}

Status Session::restore(const CheckpointId& checkpoint) {
  Status restored = store_->waypoint().restore(branch_, checkpoint);
  if (!restored.ok()) return std::move(restored).error().while_doing("restore");
  return Ok{};
}

}  // namespace sf::equivalence
