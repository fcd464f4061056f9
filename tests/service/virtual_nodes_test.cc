// Virtual nodes through the daemon: a restore brings back the state of the node, or reports that
// the replay diverged.
#include <nlohmann/json.hpp>
#include <thread>

#include "daemon_world.h"
#include "os/file.h"

namespace sf::test {
namespace {

class VirtualNodesTest : public ::testing::TestWithParam<const char*> {
 protected:
  VirtualNodesTest() { world_.output({"new", "--name", "s", "--policy", GetParam()}); }

  std::string sh(const std::string& command) { return world_.exec_output("s", command); }
  wire::Json snapshot(const std::string& wish = "") {
    std::vector<std::string> arguments{"snapshot", "s", "--json"};
    if (!wish.empty()) arguments.push_back(wish);
    return wire::Json::parse(world_.output(arguments));
  }
  // Restores the node. Returns false if the replay diverged; any other failure fails the test.
  bool restore(const std::string& node, bool accept = false) {
    std::vector<std::string> arguments{"restore", "s", node};
    if (accept) arguments.emplace_back("--accept-divergence");
    CommandRun run = world_.run(arguments);
    if (run.status != 0) {
      EXPECT_NE(run.err.find("diverged"), std::string::npos) << run.err;
    }
    return run.status == 0;
  }
  // Expects that the probe prints the same in the restored branch and in two forks, or that the
  // replay is reported as diverged.
  void expect_same_or_told(const std::string& node, const std::string& probe,
                           const std::string& expected) {
    if (restore(node)) {
      EXPECT_EQ(sh(probe), expected);
    }
    CommandRun fork = world_.run({"fork", "s", node, "-n", "2"});
    if (fork.status != 0) {
      EXPECT_NE((fork.err + fork.out).find("diverged"), std::string::npos) << fork.err;
      return;
    }
    std::istringstream names(fork.out);
    for (std::string name; names >> name;) {
      EXPECT_EQ(world_.exec_output(name, probe), expected);
      world_.output({"rm", name});
    }
  }
  void expect_same(const std::string& node, const std::string& probe, const std::string& expected) {
    EXPECT_TRUE(restore(node));
    expect_same_or_told(node, probe, expected);
  }
  void run_beside(const std::string& script) {
    EXPECT_OK(
        world_.client().post("/v1/sessions/s/branches/main/run", {{"argv", {"sh", "-c", script}}}));
  }
  void wait_for(const std::string& path) {
    for (Deadline patience = Deadline::after(seconds(20)); !patience.passed();) {
      if (world_.run({"cp", "s:" + path, "-"}).status == 0) return;
      std::this_thread::sleep_for(milliseconds(20));
    }
    FAIL() << path << " does not appear";
  }

  DaemonWorld world_;
};

TEST_P(VirtualNodesTest, JobActiveBetweenTwoNodesIsInTheSecond) {
  sh("(sleep 0.5; echo done >/root/result) &");
  snapshot();
  wait_for("/root/result");
  sh("y=2");
  const std::string node = snapshot()["node"];
  sh("rm /root/result; y=3");
  expect_same(node, "cat /root/result; echo $y", "done\n2");
}

TEST_P(VirtualNodesTest, NodeAfterAJobThatEndedCanBeRestored) {
  sh("sleep 0.3 &");
  snapshot();
  sh("wait; jobs");
  const std::string node = snapshot()["node"];
  sh("x=1");
  expect_same(node, "echo \"[$x]\"; jobs", "[]");
}

TEST_P(VirtualNodesTest, TypedCommandThatActsLaterIsInTheNextNode) {
  sh("mkfifo /tmp/go");
  world_.output({"keys", "s", "read line </tmp/go; echo $line >/root/typed", "Enter"});
  snapshot();
  run_beside("echo acted >/tmp/go");
  wait_for("/root/typed");
  sh("y=2");
  const std::string node = snapshot()["node"];
  sh("rm /root/typed");
  expect_same(node, "cat /root/typed", "acted");
}

TEST_P(VirtualNodesTest, SideCommandThatOutlivesASnapshotIsInTheNextNode) {
  sh("mkfifo /tmp/go /tmp/there");
  std::thread beside(
      [&] { run_beside("echo >/tmp/there; read line </tmp/go; echo $line >/root/late"); });
  sh("read line </tmp/there");
  snapshot();
  sh("echo acted >/tmp/go");
  beside.join();
  sh("y=2");
  const std::string node = snapshot()["node"];
  sh("rm /root/late; y=3");
  expect_same(node, "cat /root/late; echo $y", "acted\n2");
}

TEST_P(VirtualNodesTest, NodeIsPhysicalWhileTheShellMayLogOutByItself) {
  sh("TMOUT=1000; x=1");
  EXPECT_EQ(snapshot()["kind"], "physical");
  sh("unset TMOUT");
  EXPECT_EQ(snapshot()["kind"], "physical") << "a TMOUT logout was possible before it";
  sh("x=2");
  snapshot();
  world_.output({"keys", "s", "TMOUT=1000", "Enter"});
  sh("x=3");
  EXPECT_EQ(snapshot()["kind"], "physical");
  sh("x=4");
  const std::string node = snapshot()["node"];
  sh("unset TMOUT; x=5");
  expect_same(node, "echo $x $TMOUT", "4 1000");
}

TEST_P(VirtualNodesTest, ShellWithATmoutSurvivesAPauseBetweenCommands) {
  sh("TMOUT=1; x=1; trap 'echo out >/root/out' EXIT; (sleep 2; echo late >/root/late) &");
  snapshot();
  wait_for("/root/late");
  sh("y=2");
  const std::string node = snapshot()["node"];
  sh("x=3; y=3");
  expect_same(node, "test -e /root/out || echo \"[$x][$y][$TMOUT]\"", "[1][2][1]");
}

TEST_P(VirtualNodesTest, RandomValueOfAFunctionIsRestoredOrReportedAsDiverged) {
  sh("f(){ echo $SRANDOM >/root/r; }");
  snapshot();
  sh("f");
  const std::string drawn = sh("cat /root/r");
  const std::string node = snapshot()["node"];
  expect_same_or_told(node, "cat /root/r", drawn);
}

TEST_P(VirtualNodesTest, UnprintedRandomValueIsRestoredOrReportedAsDiverged) {
  sh("f(){ v=$SRANDOM; }; g(){ echo $SRANDOM >/root/r; }");
  snapshot();
  sh("g");
  wire::Json drawn = snapshot();
  ASSERT_EQ(world_.run({"cp", "s:/root/r", "/dev/null"}).status, 0);
  const std::string content = world_.run({"cp", "s:/root/r", "-"}).out;
  expect_same_or_told(drawn["node"], "cat /root/r", content.substr(0, content.size() - 1));
}

TEST_P(VirtualNodesTest, GitCommitIsRestoredOrReportedAsDiverged) {
  sh("git config --global user.email a@b.c; git config --global user.name n");
  sh("git init -q /root/repo; cd /root/repo; echo text >f; git add f");
  snapshot();
  sh("git commit -qm first");
  const std::string node = snapshot()["node"];
  const std::string head = sh("git rev-parse HEAD");
  std::this_thread::sleep_for(milliseconds(1100));  // git times have a resolution of 1 s
  expect_same_or_told(node, "git rev-parse HEAD", head);
}

TEST_P(VirtualNodesTest, OutputBeyondTheCapIsCompared) {
  const std::string script = "seq 1 3000; date +%N; seq 1 3000\n";
  ASSERT_EQ(world_.run_with_input(script, {"cp", "-", "s:/root/noise"}).status, 0);
  snapshot();
  world_.output({"exec", "s", "--json", "--max-output", "100", "--", "sh /root/noise"});
  const wire::Json made = snapshot();
  if (made["kind"] == "virtual") {
    EXPECT_FALSE(restore(made["node"]));
  }
}

TEST_P(VirtualNodesTest, ReplayUsesTheWindowSizeOfTheRecording) {
  sh("stty size >/root/first");
  const std::string first = snapshot()["node"];
  auto api = world_.client();
  ASSERT_OK(api.post("/v1/sessions/s/branches/main/resize", {{"rows", 50}, {"cols", 200}}));
  expect_same(first, "cat /root/first", "40 160");
  EXPECT_EQ(sh("stty size"), "50 200") << "a restore keeps the branch's window";
  sh("stty size >/root/second");
  const std::string second = snapshot()["node"];
  ASSERT_OK(api.post("/v1/sessions/s/branches/main/resize", {{"rows", 30}, {"cols", 90}}));
  expect_same(second, "cat /root/second", "50 200");
}

TEST_P(VirtualNodesTest, SnapshotAfterAnAcceptedDivergenceIsPhysicalAndRestorable) {
  ASSERT_EQ(world_.run_with_input("date +%N\n", {"cp", "-", "s:/root/clock"}).status, 0);
  snapshot();
  sh("sh /root/clock");
  const std::string node = snapshot("--virtual")["node"];
  EXPECT_FALSE(restore(node));
  EXPECT_TRUE(restore(node, true));
  sh("z=7");
  const wire::Json next = snapshot();
  EXPECT_EQ(next["kind"], "physical");
  sh("z=8");
  expect_same(next["node"], "echo $z", "7");
}

TEST_P(VirtualNodesTest, NodeOfWrittenFilesAloneCanBeRestored) {
  const std::string first = snapshot()["node"];
  EXPECT_TRUE(restore(first));
  ASSERT_EQ(world_.run_with_input("one", {"cp", "-", "s:/root/f"}).status, 0);
  const std::string node = snapshot()["node"];
  ASSERT_EQ(world_.run_with_input("two", {"cp", "-", "s:/root/f"}).status, 0);
  expect_same(node, "cat /root/f", "one");
}

TEST_P(VirtualNodesTest, ShellThatHoldsALockCanBeRestored) {
  sh("exec 9>/root/lock; flock 9");
  const std::string node = snapshot()["node"];
  sh("exec 9>&-");
  expect_same(node, "flock -n /root/lock true; echo $?", "1");
}

TEST_P(VirtualNodesTest, NodeTakenAfterAResizeDuringACommandCanBeRestored) {
  sh("mkfifo /tmp/go /tmp/there");
  std::thread command([&] { sh("echo >/tmp/there; read line </tmp/go; stty size >/root/f"); });
  run_beside("read line </tmp/there");
  ASSERT_OK(
      world_.client().post("/v1/sessions/s/branches/main/resize", {{"rows", 50}, {"cols", 200}}));
  run_beside("echo >/tmp/go");
  command.join();
  sh("y=1");
  const std::string node = snapshot()["node"];
  expect_same(node, "cat /root/f", "50 200");
}

TEST_P(VirtualNodesTest, DeterministicWorkIsRestoredAsProven) {
  sh("mkdir -p /root/w/a; cd /root/w; x=1; declare -A m=([k]=v); umask 027; alias ll='ls -l'");
  sh("f(){ echo $1; }; trap 'echo bye' USR1; export E=1; set -o noclobber");
  sh("for i in $(seq 50); do echo line $i >a/$i; done; ln a/1 hard; ln -s a/2 soft; chmod 600 a/3");
  const std::string probe =
      "pwd; echo $x ${m[k]} $E; umask; alias ll; f g; trap -p; ls -lR --time-style=+ | sort; cat "
      "a/*";
  const wire::Json made = snapshot();
  const std::string node = made["node"];
  if (GetParam() == std::string("lazy")) {
    EXPECT_EQ(made["kind"], "virtual") << made;
  }
  const std::string expected = sh(probe);
  sh("rm -rf a; cd /; unset x; unalias ll");
  expect_same(node, probe, expected);
}

INSTANTIATE_TEST_SUITE_P(Policies, VirtualNodesTest, ::testing::Values("lazy", "smart", "eager"),
                         [](const auto& row) { return std::string(row.param); });

}  // namespace
}  // namespace sf::test
