// The operations of a session over every backend.
#include <csignal>
#include <thread>

#include "os/process.h"
#include "world.h"

namespace sf::test {
namespace {

using control::BranchFacts;
using control::BranchId;
using control::CleanupReport;
using control::Force;
using control::ForkReport;
using control::NodeId;

class SessionTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { world_.build(GetParam()); }
  World world_;
};

INSTANTIATE_TEST_SUITE_P(Backends, SessionTest, ::testing::Values("waypoint", "overlay", "replay"),
                         [](const auto& row) { return std::string(row.param); });

TEST_P(SessionTest, ARestoreBringsFilesBackAndLeavesNothingBehind) {
  world_.run("echo one >/root/f");
  NodeId here = world_.snapshot();
  world_.run("echo two >/root/f; touch /root/g; rm /etc/hostname");
  world_.restore(here);
  EXPECT_EQ(world_.run("cat /root/f; ls /root/g /etc/hostname 2>&1"),
            "one\nls: cannot access '/root/g': No such file or directory\n/etc/hostname");
  EXPECT_TRUE(world_.disagreements().empty()) << world_.disagreements().front();
}

TEST_P(SessionTest, ForksAreIsolatedFromEachOther) {
  world_.run("echo base >/root/f");
  NodeId here = world_.snapshot();
  ASSERT_OK_AND_ASSIGN(ForkReport forks, world_.session().fork(kMain, here.value(), {.count = 3}));
  ASSERT_EQ(forks.branches.size(), 3U);
  for (const auto& branch : forks.branches) {
    ASSERT_OK(branch);
    world_.run("echo " + branch->value() + " >>/root/f", *branch);
  }
  for (const auto& branch : forks.branches)
    EXPECT_EQ(world_.run("cat /root/f", *branch), "base\n" + branch->value());
  EXPECT_EQ(world_.run("cat /root/f"), "base");
  EXPECT_TRUE(world_.disagreements().empty()) << world_.disagreements().front();
}

TEST_P(SessionTest, CleanupRemovesSnapshotsAndBranches) {
  NodeId first = world_.snapshot();
  world_.run("echo 1 >/root/f");
  NodeId second = world_.snapshot();
  ASSERT_OK(world_.session().fork(kMain, second.value(), {.count = 1}));
  world_.restore(first);
  ASSERT_OK_AND_ASSIGN(CleanupReport gone,
                       world_.session().cleanup(kMain, second.value(), Force::kYes));
  EXPECT_EQ(gone.nodes, std::vector<NodeId>{second});
  EXPECT_EQ(gone.branches.size(), 1U);
  EXPECT_TRUE(gone.leftovers.empty());
  EXPECT_TRUE(world_.disagreements().empty()) << world_.disagreements().front();
  ASSERT_OK(world_.session().end_session());
  ASSERT_OK_AND_ASSIGN(control::BackendUsage usage, world_.backend().usage());
  EXPECT_EQ(usage.live_branches, 0U);
  EXPECT_EQ(usage.physical_snapshots, 0U);
}

TEST_P(SessionTest, OutputStreamsAsItComes) {
  std::string streamed;
  ASSERT_OK_AND_ASSIGN(Observation seen, world_.session().exec_command(
                                             kMain, {.command = "echo one; echo two"},
                                             [&](std::string_view bytes) { streamed += bytes; }));
  EXPECT_EQ(seen.output, "one\ntwo\n");
  EXPECT_EQ(streamed, "one\r\ntwo\r\n");
}

TEST_P(SessionTest, ProcessesThatACommandLeavesAreReported) {
  EXPECT_FALSE(world_.observe("true").left_background);
  EXPECT_FALSE(world_.observe("sleep 0.01 & wait").left_background);
  EXPECT_TRUE(world_.observe("sleep 1000 & disown").left_background);
  EXPECT_FALSE(world_.observe("true").left_background);  // the process was reported already
  ASSERT_OK_AND_ASSIGN(BranchFacts facts, world_.session().facts(kMain));
  EXPECT_EQ(facts.background_processes, 1U);
  EXPECT_GT(facts.resident_bytes, 100U << 10U);
}

TEST_P(SessionTest, AFreshShellIsNotReportedAsALeftProcess) {
  Observation seen = world_.observe("exit 3");
  EXPECT_TRUE(seen.shell_restarted);
  EXPECT_FALSE(seen.left_background);
}

class WaypointSessionTest : public ::testing::Test {
 protected:
  void SetUp() override { world_.build("waypoint"); }
  waypoint::BranchInfo info() {
    for (waypoint::BranchInfo& each : world_.waypoint().branches()) {
      if (each.id.value() == world_.handle().value()) return std::move(each);
    }
    return {};
  }
  World world_;
};

TEST_F(WaypointSessionTest, ExecSnapshotAndRestoreUseOneRequestEach) {
  world_.run("true");
  std::uint64_t before = info().requests;
  world_.run("echo 1 >/root/f");
  EXPECT_EQ(info().requests, before + 1);
  before = info().requests;
  NodeId here = world_.snapshot();
  EXPECT_EQ(info().requests, before + 1);
  const waypoint::BranchInfo old = info();
  // Restore without a pause, because a prerestore would be one more request.
  world_.restore(here);
  const waypoint::BranchInfo fresh = info();
  EXPECT_NE(fresh.keeper_pid, old.keeper_pid);
  EXPECT_EQ(fresh.requests, 1U);
  world_.run("true");
  EXPECT_EQ(info().requests, 2U);
}

TEST_F(WaypointSessionTest, RestoreDoesNotWaitForTheOldBranchToEnd) {
  world_.run("echo 1 >/root/f");
  NodeId here = world_.snapshot();
  world_.run("echo 2 >/root/f");
  const pid_t old = info().keeper_pid;
  ASSERT_EQ(::kill(old, SIGSTOP), 0);  // a stopped keeper cannot process the request to end
  Stopwatch watch;
  world_.restore(here);
  EXPECT_EQ(world_.run("cat /root/f"), "1");
  EXPECT_LT(watch.elapsed(), seconds(10));
  EXPECT_TRUE(world_.disagreements().empty()) << world_.disagreements().front();
  ASSERT_EQ(::kill(old, SIGCONT), 0);
  for (Deadline patience = Deadline::after(seconds(20));
       os::process_key(old) && !patience.passed();)
    std::this_thread::sleep_for(milliseconds(5));
  EXPECT_FALSE(os::process_key(old));
}

TEST_F(WaypointSessionTest, ARestoreKeepsTheWindowThroughARestart) {
  NodeId here = world_.snapshot();
  ASSERT_OK(world_.session().resize(kMain, 11, 63));
  world_.restore(here);
  EXPECT_EQ(world_.run("stty size"), "11 63");
  world_.restart();
  world_.restore(here);
  EXPECT_EQ(world_.run("stty size"), "11 63");
}

TEST_F(WaypointSessionTest, WatchersOfTheTerminalSeeARestoreWithoutDelay) {
  NodeId here = world_.snapshot();
  ASSERT_OK_AND_ASSIGN(auto feed, world_.session().watch(kMain));
  ASSERT_OK(feed->next(Deadline::after(seconds(10))));
  const pid_t old = info().keeper_pid;
  world_.restore(here);
  ASSERT_OK_AND_ASSIGN(auto piece, feed->next(Deadline::after(seconds(10))));
  ASSERT_TRUE(piece.has_value());
  EXPECT_TRUE(piece->repaints.has_value());
  EXPECT_NE(info().keeper_pid, old);
}

TEST_P(SessionTest, KeysAndScreenReachTheTerminal) {
  ASSERT_OK(world_.session().resize(kMain, 10, 60));
  for (int i = 0; i < 20; ++i) world_.run("echo line " + std::to_string(i));
  ASSERT_OK(world_.session().send_keys(kMain, "echo typed\n"));
  Deadline deadline = Deadline::after(seconds(20));
  ScreenText shown;
  auto has_typed = [&] {
    for (const std::string& row : shown.rows) {
      if (row == "typed") return true;
    }
    return false;
  };
  while (!has_typed() && !deadline.passed()) {
    ASSERT_OK_AND_ASSIGN(shown, world_.session().screen(kMain, 5));
  }
  EXPECT_TRUE(has_typed());
  EXPECT_EQ(shown.rows.size(), 10U);
  EXPECT_EQ(shown.scrollback.size(), 5U);
}

TEST_P(SessionTest, EndingABranchEndsWhatRunsInIt) {
  control::BranchHandle handle = world_.handle();
  std::optional<ErrorCode> seen;
  std::thread runner([&] {
    auto ran = world_.backend().exec(handle, {.command = "sleep 1003"}, {});
    if (!ran) seen = ran.error().code;
  });
  Deadline deadline = Deadline::after(seconds(20));
  auto is_running = [&] {
    auto facts = world_.backend().facts(handle);
    return facts && facts->background_processes > 0;
  };
  while (!is_running() && !deadline.passed()) std::this_thread::yield();
  EXPECT_OK(world_.backend().end(handle));
  runner.join();
  EXPECT_EQ(seen, ErrorCode::kSessionLost);
}

TEST_P(SessionTest, UnsupportedConfigurationIsRefused) {
  auto started = world_.backend().start({.network = "bridge"});
  ASSERT_FALSE(started.ok());
  EXPECT_EQ(started.error().code, ErrorCode::kUnsupported);
}

TEST_P(SessionTest, UnknownBranchIsReportedAsLostAndItsRemovalSucceeds) {
  control::BranchHandle ghost("b-000000000000");
  auto ran = world_.backend().exec(ghost, {.command = "true"}, {});
  ASSERT_FALSE(ran.ok());
  EXPECT_EQ(ran.error().code, ErrorCode::kSessionLost);
  EXPECT_OK(world_.backend().end(ghost));
  EXPECT_OK(world_.backend().remove(control::PhysicalRef("c-000000000000")));
}

// Nodes are virtual where the policy "lazy" allows it; each of them can be restored.
class LazyTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { world_.build(GetParam(), "lazy"); }
  World world_;
};

INSTANTIATE_TEST_SUITE_P(Backends, LazyTest, ::testing::Values("waypoint", "overlay", "replay"),
                         [](const auto& row) { return std::string(row.param); });

TEST_P(LazyTest, RestoredNodeHasAJobsEarlierWritesOrIsReportedAsUnproven) {
  world_.run("(sleep 0.2; echo done >/root/f) & disown");
  auto is_over = [&] {
    auto facts = world_.session().facts(kMain);
    return facts && facts->is_quiet();
  };
  for (Deadline deadline = Deadline::after(seconds(20)); !is_over();) {
    ASSERT_FALSE(deadline.passed());
    std::this_thread::yield();
  }
  ASSERT_EQ(world_.session().read_file(kMain, "/root/f", 100).value(), "done\n");
  const NodeId here = world_.snapshot();
  world_.run("echo other >/root/f");
  ASSERT_OK_AND_ASSIGN(control::RestoreReport report,
                       world_.session().restore(kMain, here.value()));
  if (world_.backend().capabilities().physical_snapshots) {
    EXPECT_EQ(report.unproven, "");
    EXPECT_EQ(world_.run("cat /root/f"), "done");
  } else {
    EXPECT_NE(report.unproven, "") << "a replay can compare outputs only";
  }
}

TEST_P(LazyTest, NodeAboveASnapshotIsRestoredFromAnyWorkingDirectory) {
  world_.run("cd /tmp");
  control::SnapshotRequest request;
  if (world_.backend().capabilities().physical_snapshots)
    request.wanted = control::Materialization::kPhysical;
  ASSERT_OK(world_.session().snapshot(kMain, request));
  world_.run("echo x >f");
  const NodeId here = world_.snapshot();
  world_.run("echo y >/tmp/f");
  world_.restore(here);
  EXPECT_EQ(world_.run("cat /tmp/f"), "x");
  ASSERT_OK_AND_ASSIGN(ForkReport forks, world_.session().fork(kMain, here.value(), {.count = 1}));
  ASSERT_OK(forks.branches[0]);
  EXPECT_EQ(world_.run("cat /tmp/f", *forks.branches[0]), "x");
}

class PhysicalTest : public ::testing::TestWithParam<const char*> {
 protected:
  World world_;
};

INSTANTIATE_TEST_SUITE_P(Backends, PhysicalTest, ::testing::Values("waypoint", "overlay"),
                         [](const auto& row) { return std::string(row.param); });

TEST_P(PhysicalTest, RestoreKeepsTheCurrentWindowSize) {
  world_.build(GetParam());
  NodeId here = world_.snapshot();
  ASSERT_OK(world_.session().resize(kMain, 11, 66));
  world_.restore(here);
  EXPECT_EQ(world_.run("stty size"), "11 66");
}

TEST_P(PhysicalTest, OldBranchContinuesUntouchedBesideTheRestoredOne) {
  world_.build(GetParam());
  control::BranchHandle old = world_.handle();
  ASSERT_OK_AND_ASSIGN(control::Checkpoint here, world_.backend().checkpoint(old));
  world_.run("echo later >/root/f");
  ASSERT_OK_AND_ASSIGN(control::BranchHandle fresh, world_.backend().restore(old, here.ref));
  EXPECT_NE(fresh, old);
  EXPECT_EQ(world_.run("cat /root/f"), "later");
  ASSERT_OK_AND_ASSIGN(Observation seen,
                       world_.backend().exec(fresh, {.command = "cat /root/f"}, {}));
  EXPECT_NE(seen.exit_code, 0);
  EXPECT_OK(world_.backend().end(fresh));
  EXPECT_OK(world_.backend().remove(here.ref));
}

TEST_P(PhysicalTest, AHostWithoutBtrfsKeepsPlainDirectories) {
  world_.reopen_with(waypoint::FileLayerKind::kCopy);
  world_.build(GetParam());
  world_.run("echo one >/root/f; echo same >/root/same");
  NodeId here = world_.snapshot();
  world_.run("echo two >/root/f");
  ASSERT_OK_AND_ASSIGN(control::StateDiff diff,
                       world_.session().diff(kMain, here.value(), std::nullopt));
  ASSERT_EQ(diff.differences.size(), 1U);
  EXPECT_EQ(diff.differences.front().name, "/root/f");
  world_.restore(here);
  EXPECT_EQ(world_.run("cat /root/f"), "one");
}

TEST(OverlayTest, AShellWhoseDirectoryIsGoneStartsInTheRoot) {
  World world;
  world.build("overlay", "eager", {.cwd = "/srv"});
  EXPECT_EQ(world.run("pwd"), "/srv");
  world.run("cd /; rm -rf /srv");
  world.restore(world.snapshot());
  EXPECT_EQ(world.run("pwd"), "/");
}

TEST(RegistryTest, BackendsAreListedWithWhatTheyPreserve) {
  World world;
  std::map<std::string, backends::BackendDescription> by_name;
  for (const auto& description : world.registry().list()) by_name[description.name] = description;
  EXPECT_EQ(by_name["waypoint"].preserves, control::Preserves::everything());
  EXPECT_EQ(by_name["overlay"].preserves, control::Preserves(control::Preserves::kFiles));
  for (const char* name : {"waypoint", "overlay", "replay", "criu"}) {
    EXPECT_TRUE(by_name[name].usable) << name;
    EXPECT_OK(world.registry().make(name));
  }
  for (const char* name : {"docker", "podman", "podman-commit", "gvisor", "vm"}) {
    ASSERT_TRUE(by_name.contains(name)) << name;
    EXPECT_EQ(by_name[name].usable, by_name[name].why_not.empty()) << name;
  }
  auto unknown = world.registry().make("chroot");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(unknown.error().hint.find("waypoint, gvisor, "), std::string::npos);
}

TEST(RegistryTest, UnavailableBackendIsListedWithItsReason) {
  backends::BackendRegistry registry({.store_dir = "/run/not-here"});
  for (const auto& description : registry.list()) {
    if (description.name != "waypoint" && description.name != "overlay") continue;
    EXPECT_FALSE(description.usable);
    EXPECT_NE(description.why_not.find("/run"), std::string::npos) << description.why_not;
  }
  EXPECT_FALSE(registry.make("waypoint").ok());
}

}  // namespace
}  // namespace sf::test
