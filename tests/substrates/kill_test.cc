// SIGKILL to the daemon during its work, and to the processes of a session, over each third-party
// engine: acknowledged nodes can be restored, and nothing is left at the end.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "backends/registry.h"
#include "backends/vm/qmp.h"
#include "daemon_world.h"
#include "engines.h"
#include "os/cgroup_thaw.h"
#include "os/file.h"
#include "os/process.h"
#include "testing/matchers.h"

namespace sf::test {
namespace {

using wire::Json;

constexpr int kRounds = 3;

struct Subject {
  const char* backend;
  const char* process;  // part of the command line of the session's process
};
void PrintTo(const Subject& subject, std::ostream* out) { *out << subject.backend; }

class SubstrateKillTest : public ::testing::TestWithParam<Subject> {
 protected:
  void SetUp() override {
    ASSERT_OK(engines.prepare(backend()));
    world = std::make_unique<DaemonWorld>(engines.environment());
    session = world->output({"new", Engines::root(), "--backend", backend()});
    ASSERT_FALSE(session.empty());
  }
  void TearDown() override {
    if (!world) return;
    const std::string state = world->state_dir();
    world->output({"rm", session});
    world->end_daemon(SIGTERM);
    expect_nothing_left(state);
    world->output({"ls"});  // starts a daemon, since the destructor of the world ends one
    world.reset();
  }
  // Checks the directories of records and drafts, then opens the backend, which removes leftovers.
  void expect_nothing_left(const std::string& state) {
    for (const char* location : {"", "/records", "/kept", "/roots"}) {
      auto names = os::list_directory(state + "/store/backends/" + backend() + location);
      if (!names) continue;  // not every backend has all of these
      for (const std::string& name : *names)
        EXPECT_FALSE(name.ends_with(".json") || name.ends_with(".draft"))
            << location << "/" << name;
    }
    backends::BackendRegistry registry({.store_dir = state + "/store"}, engines.tools());
    auto made = registry.make(backend());
    ASSERT_OK(made);
    ASSERT_OK_AND_ASSIGN(control::Inventory left, (*made)->inventory());
    EXPECT_TRUE(left.live.empty());
    EXPECT_TRUE(left.physical.empty());
  }

  static std::string backend() { return GetParam().backend; }
  std::string run(const std::string& command) { return world->exec_output(session, command); }
  std::string snapshot() { return world->output({"snapshot", session}); }
  // The processes that run the session.
  static std::vector<pid_t> processes() {
    std::vector<pid_t> found;
    EXPECT_EQ(os::process_name(1), "sh") << "only in a PID namespace of its own";
    auto names = os::list_directory("/proc");
    EXPECT_OK(names);
    for (const std::string& name : *names) {
      pid_t pid = std::atoi(name.c_str());
      if (pid > 1 && os::command_line(pid).find(GetParam().process) != std::string::npos)
        found.push_back(pid);
    }
    return found;
  }
  // Kills the daemon during a snapshot. Returns the node if the snapshot was acknowledged.
  std::string snapshot_under_fire(milliseconds when) {
    std::string node;
    pid_t daemon = world->daemon_pid();
    std::thread asking([&] {
      auto answer = world->client().post("/v1/sessions/" + session + "/branches/main/snapshot",
                                         Json::object());
      if (answer) node = (*answer)["node"];
    });
    std::this_thread::sleep_for(when);  // a random moment; not used for synchronisation
    EXPECT_TRUE(daemon > 1 && ::kill(daemon, SIGKILL) == 0);
    asking.join();
    return node;
  }

  Engines engines;
  std::unique_ptr<DaemonWorld> world;
  std::string session;
};

TEST_P(SubstrateKillTest, AcknowledgedNodesOutliveTheDaemon) {
  std::mt19937 random(::testing::UnitTest::GetInstance()->random_seed());
  std::map<std::string, std::string> content;  // content of the file, by node
  run("echo 0 >/root/f; x=alive");
  content[snapshot()] = "0";
  for (int round = 1; round <= kRounds; ++round) {
    const std::string number = std::to_string(round);
    run("echo " + number + " >/root/f");
    std::string node = snapshot_under_fire(milliseconds(random() % 600));
    if (!node.empty()) content[node] = number;
    EXPECT_EQ(run("cat /root/f; echo $x"), number + "\nalive") << "the session continued";
  }
  for (const auto& [node, number] : content) {
    world->output({"restore", session, node});
    EXPECT_EQ(run("cat /root/f"), number) << node;
  }
}

TEST_P(SubstrateKillTest, SessionWithKilledProcessesCanBeRestored) {
  run("echo kept >/root/f");
  const std::string node = snapshot();
  const std::vector<pid_t> running = processes();
  ASSERT_FALSE(running.empty()) << "no process matches " << GetParam().process;
  for (pid_t pid : running) (void)::kill(pid, SIGKILL);
  CommandRun lost = world->exec(session, "cat /root/f");
  EXPECT_NE(lost.status, 0);
  EXPECT_NE(lost.err.find("restore"), std::string::npos) << "no hint in: " << lost.err;
  world->output({"restore", session, node});
  EXPECT_EQ(run("cat /root/f"), "kept");
}

std::string name_of(const ::testing::TestParamInfo<Subject>& subject) {
  std::string name = subject.param.backend;
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Backends, SubstrateKillTest,
                         ::testing::Values(Subject{"docker", "/dev/.statefork-agent"},
                                           Subject{"podman", "/dev/.statefork-agent"},
                                           Subject{"podman-commit", "/dev/.statefork-agent"},
                                           Subject{"gvisor", "runsc-sandbox"},
                                           Subject{"vm", "qemu-system"}),
                         name_of);

class FrozenContainerTest : public SubstrateKillTest {};

// A podman killed during a commit leaves the container frozen, possibly without a record of it.
TEST_P(FrozenContainerTest, FrozenContainerResumesWithTheNextDaemon) {
  run("x=alive");
  const std::vector<pid_t> running = processes();
  ASSERT_FALSE(running.empty());
  world->end_daemon(SIGKILL);
  ASSERT_OK_AND_ASSIGN(std::string groups,
                       os::read_file("/proc/" + std::to_string(running.front()) + "/cgroup"));
  const auto switches = os::freezer_switches(os::read_cgroup_layout(), groups, "libpod-");
  ASSERT_FALSE(switches.empty()) << groups;
  for (const os::FreezerSwitch& each : switches)
    (void)os::write_file(each.file, each.resume == "0" ? "1" : "FROZEN");
  EXPECT_EQ(run("echo $x"), "alive");
}

INSTANTIATE_TEST_SUITE_P(Backends, FrozenContainerTest,
                         ::testing::Values(Subject{"podman", "/dev/.statefork-agent"},
                                           Subject{"podman-commit", "/dev/.statefork-agent"}),
                         name_of);

class SavedMachineTest : public SubstrateKillTest {
 protected:
  // Simulates a daemon killed while the machine is paused for a snapshot.
  void stand_still() {
    const std::string sandboxes = world->state_dir() + "/store/backends/vm/boxes";
    ASSERT_OK_AND_ASSIGN(std::vector<std::string> names, os::list_directory(sandboxes));
    ASSERT_EQ(names.size(), 1U);
    const Deadline deadline = Deadline::after(seconds(60));
    ASSERT_OK_AND_ASSIGN(backends::Qmp qmp,
                         backends::Qmp::connect(sandboxes + "/" + names.front() + "/q", deadline));
    ASSERT_OK(qmp.command("stop", Json::object(), deadline));
  }
};

TEST_P(SavedMachineTest, MachineResumesWithTheNextDaemonAfterALongSave) {
  constexpr auto kBusy = seconds(7);  // QEMU does not reply while it saves
  run("x=alive");
  const std::vector<pid_t> running = processes();
  ASSERT_EQ(running.size(), 1U);
  world->end_daemon(SIGKILL);
  ASSERT_NO_FATAL_FAILURE(stand_still());
  ASSERT_EQ(::kill(running.front(), SIGSTOP), 0);
  std::thread saving([&] {
    std::this_thread::sleep_for(kBusy);
    EXPECT_EQ(::kill(running.front(), SIGCONT), 0);
  });
  EXPECT_EQ(run("echo $x"), "alive");
  saving.join();
}

INSTANTIATE_TEST_SUITE_P(Backends, SavedMachineTest,
                         ::testing::Values(Subject{"vm", "qemu-system"}), name_of);

}  // namespace
}  // namespace sf::test
