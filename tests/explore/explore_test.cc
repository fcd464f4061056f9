// `statefork explore` as users run it: real tasks, real sessions, scripted agents.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "base/split.h"
#include "explore_world.h"
#include "os/file.h"
#include "os/process.h"
#include "os/run_program.h"

namespace sf::test {
namespace {

using wire::Json;

class ExploreTest : public ExploreWorld {};

TEST_F(ExploreTest, EveryPolicySolvesATaskWithWrongTurns) {
  for (const char* policy : {"mcts", "beam", "pass@k", "best-of-n"}) {
    const CommandRun ran = explore({"--policy", policy, "--max-nodes", "80"});
    EXPECT_EQ(ran.status, 0) << policy << ": " << ran.out << ran.err;
    const Json answer = json_of(ran);
    EXPECT_EQ(answer.value("solved", false), true) << policy << ran.err;
    EXPECT_EQ(branches(answer.value("session", "")), 1U) << "only main is left";
  }
}

TEST_F(ExploreTest, BranchesAreExpandedAtTheSameTime) {
  const CommandRun ran = explore({"--jobs", "3", "--max-nodes", "60"});
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
}

TEST_F(ExploreTest, SecondRunReusesTheBuild) {
  const CommandRun first = explore({"--max-nodes", "1"});
  EXPECT_EQ(first.status, 3) << "not solved: " << first.err;
  EXPECT_NE(first.err.find("build:  RUN"), std::string::npos) << first.err;
  const CommandRun second = explore({"--max-nodes", "1"});
  EXPECT_EQ(second.err.find("build:"), std::string::npos) << second.err;
  EXPECT_EQ(json_of(first)["session"], json_of(second)["session"]);
}

TEST_F(ExploreTest, HarborTasksAreSearchedToo) {
  const std::string harbor = dir_ / "harbor";
  make_harbor_task(harbor);
  const CommandRun ran =
      world_.run({"explore", harbor, "--root", "/", "--agent", "script", "--out", out(), "--json"});
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
}

TEST_F(ExploreTest, RunDirectoryHasReportAndTree) {
  const std::string directory = out();
  const Json answer = json_of(explore({}, directory));
  ASSERT_OK_AND_ASSIGN(std::string tree_text, os::read_file(directory + "/tree.json"));
  const Json tree = Json::parse(tree_text);
  const std::size_t best = tree["summary"]["best"];
  EXPECT_EQ(tree["nodes"][best]["grade"]["score"], 1);
  EXPECT_NE(tree["nodes"][best]["grade"]["log"].get<std::string>().find("PASSED"),
            std::string::npos);
  EXPECT_NE(tree["nodes"][best]["diff"].dump().find("/srv/app/data"), std::string::npos);
  EXPECT_GT(tree["summary"]["snapshot_us"], 0);
  for (const char* name : {"/trajectories.jsonl", "/sft.jsonl", "/preferences.jsonl",
                           "/report.html", "/journal.jsonl", "/run.json"}) {
    ASSERT_OK_AND_ASSIGN(std::string text, os::read_file(directory + name));
    EXPECT_FALSE(text.empty()) << name;
  }
  // The agent's state is kept in the node's notes.
  auto node = world_.client().get("/v1/sessions/" + answer.value("session", "") + "/nodes/" +
                                  answer.value("node", ""));
  ASSERT_OK(node);
  EXPECT_EQ(Json::parse((*node)["notes"]["explore"].get<std::string>())["command"],
            tree["nodes"][best]["command"]);
  EXPECT_EQ(Json::parse((*node)["notes"]["explore.grade"].get<std::string>())["score"], 1);
}

TEST_F(ExploreTest, NoDiffsOmitsDiffsFromTheReport) {
  const std::string directory = out();
  const CommandRun ran = explore({"--no-diffs", "--engine", "auto"}, directory);
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.err.find("comparing"), std::string::npos) << ran.err;
  ASSERT_OK_AND_ASSIGN(std::string tree_text, os::read_file(directory + "/tree.json"));
  for (const Json& node : Json::parse(tree_text)["nodes"]) EXPECT_TRUE(node["diff"].is_null());
}

TEST_F(ExploreTest, ForkForGradingCountsAsRestoreTime) {
  const std::string directory = out();
  const Json answer = json_of(explore({"--policy", "pass@k", "--max-nodes", "80"}, directory));
  ASSERT_OK_AND_ASSIGN(std::string tree_text, os::read_file(directory + "/tree.json"));
  const Json winner = Json::parse(tree_text)["nodes"][answer.value("best", 0U)];
  ASSERT_GT(winner["parent"], 0) << "a rollout continues in its branch and restores nothing";
  EXPECT_GT(winner["usage"]["restore_us"], 0);
  EXPECT_GT(winner["usage"]["grade_us"], 0);
}

TEST_F(ExploreTest, GradingLeavesNoTraceInTheWinner) {
  const Json answer = json_of(explore({}));
  const std::string session = answer.value("session", "");
  world_.output({"fork", session, answer.value("node", ""), "--name", "look"});
  EXPECT_EQ(world_.exec_output(session + "/look", "ls -d /tests /graded 2>/dev/null | wc -l"), "0");
}

TEST_F(ExploreTest, KilledRunCanBeResumed) {
  const std::string directory = out();
  std::vector<std::string> argv = {
      SF_PROGRAM, "explore",  task(),          "--root",  "/",
      "--agent",  "script",   "--out",         directory, "--jobs",
      "2",        "--socket", world_.socket(), "--state", world_.state_dir()};
  world_.output({"ls"});  // starts the daemon
  os::SpawnOptions options;
  options.argv = argv;
  options.env = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin"};
  ASSERT_OK_AND_ASSIGN(os::Child child, os::spawn(options));
  Deadline deadline = Deadline::after(seconds(60));
  auto lines = [&] {
    auto text = os::read_file(directory + "/journal.jsonl");
    return text ? split(*text, '\n').size() : 0;
  };
  while (lines() < 4 && !deadline.passed()) std::this_thread::sleep_for(milliseconds(5));
  ASSERT_OK(child.signal(SIGKILL));
  ASSERT_OK(child.wait(Deadline::after(seconds(10))));
  ASSERT_OK_AND_ASSIGN(std::string before, os::read_file(directory + "/journal.jsonl"));
  const CommandRun resumed = world_.run({"explore", "--resume", directory, "--json"});
  EXPECT_EQ(resumed.status, 0) << resumed.out << resumed.err;
  ASSERT_OK_AND_ASSIGN(std::string after, os::read_file(directory + "/journal.jsonl"));
  const std::string whole = before.substr(0, before.rfind('\n') + 1);
  EXPECT_TRUE(after.starts_with(whole)) << "a resumed run repeats no finished step";
  EXPECT_EQ(branches(json_of(resumed).value("session", "")), 1U);
}

TEST_F(ExploreTest, RunCanBeInspectedAndItsFilesApplied) {
  const std::string directory = out();
  explore({}, directory);
  auto replayed = os::run_program({SF_PROGRAM, "replay", directory}, Deadline::after(seconds(30)));
  ASSERT_OK(replayed);
  EXPECT_NE(replayed->text.find("$ echo last >in"), std::string::npos) << replayed->text;

  const std::string home = dir_ / "home";
  ASSERT_OK(os::make_directories(home));
  ASSERT_OK(os::write_file(home + "/data", "first\n", 0644));
  const std::vector<std::string> apply = {"apply", directory, home};  // the task's directory
  auto with = [&](const std::string& more) {
    std::vector<std::string> arguments = apply;
    arguments.push_back(more);
    return world_.run(arguments);
  };
  EXPECT_NE(with("--dry-run").out.find("change\tdata\n"), std::string::npos);
  EXPECT_NE(with("--patch").out.find("+2 last\n"), std::string::npos);
  EXPECT_EQ(os::read_file(home + "/data").value(), "first\n") << "only shown";
  const CommandRun applied = world_.run(apply);
  EXPECT_EQ(applied.status, 0) << applied.err;
  EXPECT_EQ(os::read_file(home + "/data").value(), "first\n1 5 fast\n2 last\n/srv/app\n");

  ASSERT_OK(os::write_file(home + "/data", "mine\n", 0644));
  const CommandRun refused = world_.run(apply);
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.err.find("conflict"), std::string::npos) << refused.err;
  EXPECT_EQ(os::read_file(home + "/data").value(), "mine\n");
  EXPECT_EQ(with("--path=!data").status, 0);
  EXPECT_EQ(with("--force").status, 0);
  EXPECT_TRUE(os::read_file(home + "/data").value().starts_with("first\n"));
}

TEST_F(ExploreTest, ApplyingTouchesNothingOutsideOfTheDirectory) {
  const std::string directory = out();
  explore({}, directory);
  const std::string home = dir_ / "home";
  const std::string outside = dir_ / "outside";
  ASSERT_OK(os::make_directories(outside));
  const std::vector<std::string> apply = {"apply", directory, home, "--source",
                                          "/srv",  "--path",  "app"};
  auto with = [&](const std::string& more) {
    std::vector<std::string> arguments = apply;
    arguments.push_back(more);
    return world_.run(arguments);
  };
  EXPECT_EQ(with("--dry-run").status, 0);
  EXPECT_EQ(with("--patch").status, 0);
  EXPECT_FALSE(os::exists(home)) << "only shown";

  ASSERT_OK(os::make_directories(home));
  ASSERT_EQ(::symlink(outside.c_str(), (home + "/app").c_str()), 0);
  const CommandRun refused = world_.run(apply);
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.out.find("links are not followed"), std::string::npos) << refused.out;
  EXPECT_EQ(with("--force").status, 1);
  EXPECT_EQ(os::list_directory(outside).value().size(), 0U);
}

TEST_F(ExploreTest, TestsRunInTheTasksDirectoryOrInTheShellIfRequested) {
  ASSERT_OK(os::write_file(task() + "/run-tests.sh", "test \"$PWD\" = /srv/app\n"));
  auto graded = [&] {
    return world_
        .run({"explore", task(), "--root", "/", "--agent", "script:" + dir_ / "elsewhere.json",
              "--policy", "pass@k", "--attempts", "1", "--out", out(), "--json"})
        .status;
  };
  ASSERT_OK(os::write_file(dir_ / "elsewhere.json",
                           R"({"candidates": [{"command": "cd /; unheard=1", "last": true}]})"));
  EXPECT_EQ(graded(), 0);
  ASSERT_OK(os::write_file(task() + "/run-tests.sh", "test \"$PWD $TEST_DIR\" = '/ /tests'\n"));
  ASSERT_OK(
      os::write_file(task() + "/task.yaml", "instruction: x\nrun_tests_in_same_shell: true\n"));
  EXPECT_EQ(graded(), 0);
}

TEST_F(ExploreTest, ARootMayBeAnArchiveOrHaveAName) {
  ASSERT_OK(os::write_file(task() + "/Dockerfile", "FROM tiny\nRUN true\n"));
  ASSERT_OK(os::write_file(task() + "/solution.sh", "true\n"));
  ASSERT_OK(os::write_file(task() + "/run-tests.sh", "test -e /from-the-archive\n"));
  const std::string root = dir_ / "root";
  ASSERT_OK(os::make_directories(root, 0755));
  // A minimal root for a shell: the host's programs and libraries.
  const std::string copy = "set -e; root=" + root +
                           R"(; cd /; mkdir -p $root/{usr/bin,usr/lib,usr/lib64,tmp,root}
touch $root/from-the-archive
cp -a --parents bin lib lib64 $root
for program in bash env true cat mkdir chmod; do
  cp -L --parents usr/bin/$program $root
  ldd usr/bin/$program | grep -o '/[^ ]*' | while read -r library; do cp -L --parents $library $root; done
done
ln -s bash $root/usr/bin/sh
tar -C $root -cf )" + dir_ / "root.tar" +
                           " .";
  auto made = os::run_program({"/bin/bash", "-c", copy}, Deadline::after(seconds(60)));
  ASSERT_OK(made);
  ASSERT_TRUE(made->succeeded()) << made->text;
  auto explore_over = [&](const std::string& option, const std::string& value) {
    return world_.run({"explore", task(), option, value, "--agent", "oracle", "--policy", "pass@k",
                       "--attempts", "1", "--out", out(), "--json"});
  };
  const CommandRun by_file = explore_over("--root", dir_ / "root.tar");
  EXPECT_EQ(by_file.status, 0) << by_file.out << by_file.err;
  world_.output({"root", "add", dir_ / "root.tar", "--name", "small"});
  const CommandRun by_name = explore_over("--from", "tiny=small");
  EXPECT_EQ(by_name.status, 0) << by_name.out << by_name.err;
}

TEST_F(ExploreTest, RunCanBeResumedAfterItsDaemonDied) {
  const std::string directory = out();
  ASSERT_OK(os::write_file(dir_ / "kill.json", R"({"candidates": [
    {"command": "echo one", "value": 0.5, "next": [{"command": "sleep 3", "last": true}]}]})"));
  std::vector<std::string> argv = {
      "explore",  task(),   "--root",     "/", "--agent", "script:" + dir_ / "kill.json",
      "--policy", "pass@k", "--attempts", "1", "--out",   directory,
      "--json"};
  std::thread killer([&] {
    const Deadline deadline = Deadline::after(seconds(60));
    while (!deadline.passed()) {
      auto text = os::read_file(directory + "/journal.jsonl");
      if (text && split(*text, '\n').size() == 2) break;
      std::this_thread::sleep_for(milliseconds(5));
    }
    world_.end_daemon(SIGKILL);
  });
  const CommandRun ran = world_.run(argv);
  killer.join();
  EXPECT_EQ(ran.status, 1) << ran.out << ran.err;
  EXPECT_NE(ran.err.find("--resume"), std::string::npos) << ran.err;
  const CommandRun resumed = world_.run({"explore", "--resume", directory, "--json"});
  EXPECT_EQ(resumed.status, 3) << resumed.out << resumed.err;
  EXPECT_EQ(json_of(resumed)["nodes"], 2) << "a node that failed with the daemon is retried";
}

TEST_F(ExploreTest, AResumedRunTakesAnotherBudgetButNoOtherPolicy) {
  const std::string directory = out();
  EXPECT_EQ(explore({"--max-nodes", "1"}, directory).status, 3);
  const CommandRun refused = world_.run({"explore", "--resume", directory, "--policy", "beam"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.err.find("--policy"), std::string::npos) << refused.err;
  const CommandRun more =
      world_.run({"explore", "--resume", directory, "--max-nodes", "60", "--jobs", "2", "--json"});
  EXPECT_EQ(more.status, 0) << more.out << more.err;
}

TEST_F(ExploreTest, InvalidArgumentsAreRefusedWithAHint) {
  auto expect = [&](std::vector<std::string> arguments, const std::string& words) {
    const CommandRun ran = world_.run(std::move(arguments));
    EXPECT_EQ(ran.status, 1) << ran.out;
    EXPECT_NE(ran.err.find(words), std::string::npos) << ran.err;
  };
  expect({"explore", dir_.path(), "--out", out()}, "task.yaml");
  expect({"explore", task(), "--agent", "script", "--out", out()}, "--root");
  expect({"explore", task(), "--root", "/", "--agent", "magic", "--out", out()}, "script:FILE");
  expect(
      {"explore", task(), "--root", "/", "--agent", "script", "--policy", "luck", "--out", out()},
      "mcts");
  expect({"explore", "--resume", dir_ / "nothing"}, "not the directory of a run");
  expect({"explore"}, "--resume");
  const std::string never = dir_ / "never";
  expect({"explore", task(), "--root", "/", "--agent", "script", "--jobs", "0", "--out", never},
         "--jobs");
  expect({"explore", task(), "--root", "/", "--out", never}, "model");
  EXPECT_FALSE(os::exists(never)) << "a run that did not start leaves no directory";
  auto replayed = os::run_program({SF_PROGRAM, "replay", never, "--json"},
                                  Deadline::after(seconds(30)), {.errors_apart = true});
  ASSERT_OK(replayed);
  EXPECT_EQ(Json::parse(replayed->errors, nullptr, false).value("code", ""), "not_found");
}

}  // namespace
}  // namespace sf::test
