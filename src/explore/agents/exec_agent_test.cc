// The agent, tested with real programs.
#include "explore/agents/exec_agent.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "os/file.h"
#include "os/process.h"
#include "os/socket.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace sf::explore {
namespace {

// Prologue of every shell program in this file. `next` reads a request and sets $id to its id.
constexpr const char* kShell = R"sh(
cd "$(dirname "$0")"
echo run >>runs
next() { read -r line || exit 0; id=${line#*'"id":'}; id=${id%%,*}; }
)sh";
constexpr const char* kAlwaysTrue =
    R"sh(while next; do echo "{\"id\": $id, \"command\": \"true\"}"; done)sh";

class ExecAgentTest : public ::testing::Test {
 protected:
  ProgramOptions shell(const std::string& text) {
    EXPECT_OK(os::write_file(dir / "program", kShell + text));
    return {.argv = {"sh", dir / "program"}, .log = dir / "log", .timeout = seconds(60)};
  }
  ProgramOptions python(const std::string& text) {
    EXPECT_OK(os::write_file(dir / "program", text));
    return {.argv = {"env", "PYTHONDONTWRITEBYTECODE=1", "PYTHONPATH=" SF_PYTHON_DIR, "python3",
                     dir / "program"},
            .log = dir / "log",
            .timeout = seconds(60)};
  }
  // How many times the program was started.
  std::size_t runs() {
    const std::string text = os::read_file(dir / "runs").value();
    return static_cast<std::size_t>(std::ranges::count(text, '\n'));
  }
  static void expect_in(const std::string& part, const Error& error) {
    EXPECT_NE(error.describe().find(part), std::string::npos) << error.describe();
  }

  test::TempDir dir;
  Usage usage;
  Situation situation{.instruction = "build it",
                      .path = {{.action = {"ls", "look"}, .outcome = {"x\n", 0}}},
                      .siblings = {{.action = {.command = "make"},
                                    .outcome = {"\xff", 2},
                                    .value = 0.5,
                                    .reflection = "no Makefile"}},
                      .ordinal = 2,
                      .lane = 3};
};

TEST_F(ExecAgentTest, TheProgramReceivesTheSituationAndProposes) {
  ASSERT_OK_AND_ASSIGN(auto agent, make_exec_agent(shell(R"(
        next; printf '%s\n' "$line" >request
        echo "{\"id\": $id, \"command\": \"make\", \"thought\": \"why not\", \"done\": true,
               \"model_calls\": 2, \"tokens_in\": 30, \"tokens_out\": 4, \"money\": 0.5}" | tr -d '\n'
        echo; next)")));
  ASSERT_OK_AND_ASSIGN(Action proposal, agent->propose(situation, usage));
  EXPECT_EQ(proposal, (Action{"make", "why not", true}));
  EXPECT_EQ(usage.model_calls, 2U);
  EXPECT_EQ(usage.tokens_in, 30U);
  EXPECT_EQ(usage.tokens_out, 4U);
  EXPECT_DOUBLE_EQ(usage.money, 0.5);
  EXPECT_GT(usage.model_time.count(), 0);
  EXPECT_EQ(wire::Json::parse(os::read_file(dir / "request").value()), wire::Json::parse(R"({
    "id": 1, "op": "propose", "situation": {"instruction": "build it", "ordinal": 2, "lane": 3,
      "path": [{"command": "ls", "thought": "look", "done": false, "output": "x\n",
                "exit_code": 0, "timed_out": false, "value": 0.0, "reflection": ""}],
      "siblings": [{"command": "make", "thought": "", "done": false, "output": "\ufffd",
                    "exit_code": 2, "timed_out": false, "value": 0.5,
                    "reflection": "no Makefile"}]}})"));
}

TEST_F(ExecAgentTest, UnsupportedJudgementsFallBackToExitStatusAndValue) {
  ASSERT_OK_AND_ASSIGN(auto agent,
                       make_exec_agent(shell(
                           R"(while next; do echo "{\"id\": $id, \"unsupported\": true}"; done)")));
  const Turn good{.action = {.command = "a"}, .outcome = {"", 0}, .value = 0.2};
  const Turn bad{.action = {.command = "b"}, .outcome = {"", 1}, .value = 0.7};
  ASSERT_OK_AND_ASSIGN(Assessment worked, agent->assess(situation, good, usage));
  ASSERT_OK_AND_ASSIGN(Assessment failed, agent->assess(situation, bad, usage));
  EXPECT_GT(worked.value, failed.value);
  ASSERT_OK_AND_ASSIGN(std::size_t choice, agent->choose(situation, {good, bad}, usage));
  EXPECT_EQ(choice, 1U);
  auto proposal = agent->propose(situation, usage);
  ASSERT_FALSE(proposal);
  EXPECT_EQ(proposal.error().code, ErrorCode::kUnsupported);
}

TEST_F(ExecAgentTest, AnswersMayComeInAnyOrder) {
  // The program reads two requests before it answers, the second one first.
  ASSERT_OK_AND_ASSIGN(auto agent, make_exec_agent(python(R"(
import json, sys
while True:
    pair = [json.loads(sys.stdin.readline() or sys.exit()) for _ in range(2)]
    for request in reversed(pair):
        print(json.dumps({"id": request["id"], "command": request["situation"]["instruction"]}), flush=True)
)")));
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i)
    threads.emplace_back([&, i] {
      for (int n = 0; n < 20; ++n) {
        const std::string mine = std::to_string(i) + "-" + std::to_string(n);
        Usage own;
        auto proposal = agent->propose({.instruction = mine}, own);
        ASSERT_OK(proposal);
        EXPECT_EQ(proposal->command, mine);
      }
    });
  for (std::thread& thread : threads) thread.join();
}

TEST_F(ExecAgentTest, RequestsMayBeLargerThanAPipe) {
  ASSERT_OK_AND_ASSIGN(auto agent, make_exec_agent(python(R"(
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps({"id": request["id"], "command": request["situation"]["instruction"]}), flush=True)
)")));
  const std::string much(3U << 20U, 'x');
  ASSERT_OK_AND_ASSIGN(Action proposal, agent->propose({.instruction = much}, usage));
  EXPECT_EQ(proposal.command, much);
}

TEST_F(ExecAgentTest, ADeadProgramIsRestartedAndTheRequestRepeated) {
  ASSERT_OK_AND_ASSIGN(
      auto agent,
      make_exec_agent(
          shell(std::string("[ $(wc -l <runs) -gt 1 ] || { next; exit 3; }\n") + kAlwaysTrue)));
  ASSERT_OK(agent->propose(situation, usage));
  EXPECT_EQ(runs(), 2U);
}

TEST_F(ExecAgentTest, RestartsOfADyingProgramAreLimited) {
  ProgramOptions options = shell("next; echo 'about to fail' >&2; printf 'half an ans'; exit 3");
  options.most_restarts = 2;
  ASSERT_OK_AND_ASSIGN(auto agent, make_exec_agent(options));
  auto proposal = agent->propose(situation, usage);
  ASSERT_FALSE(proposal);
  expect_in("no answer: the program exited 3 after printing 'half an ans'", proposal.error());
  expect_in("see its messages in " + options.log, proposal.error());
  for (int i = 0; i < 3; ++i) proposal = agent->propose(situation, usage);
  expect_in("restart limit reached; the last run exited 3", proposal.error());
  EXPECT_EQ(runs(), 3U);
  EXPECT_TRUE(os::read_file(options.log).value().starts_with("about to fail\nabout to fail\n"));
}

TEST_F(ExecAgentTest, MalformedOutputIsQuotedAndTheProgramRestarted) {
  for (const char* nonsense :
       {"now thinking...", "[1]", R"({"command": "x"})", R"({"id": 77})", R"({"id": "1"})"}) {
    EXPECT_OK(os::write_file(dir / "nonsense", nonsense));
    EXPECT_OK(os::write_file(dir / "runs", ""));
    ASSERT_OK_AND_ASSIGN(
        auto agent, make_exec_agent(shell(
                        std::string("[ $(wc -l <runs) -gt 1 ] || { next; cat nonsense; echo; }\n") +
                        kAlwaysTrue)));
    auto proposal = agent->propose(situation, usage);
    ASSERT_FALSE(proposal) << nonsense;
    EXPECT_EQ(proposal.error().code, ErrorCode::kCorrupt);
    expect_in(std::string("'") + nonsense + "'", proposal.error());
    expect_in("print nothing but answers on standard output", proposal.error());
    EXPECT_OK(agent->propose(situation, usage));
  }
}

TEST_F(ExecAgentTest, MalformedAnswersAreExplained) {
  ASSERT_OK_AND_ASSIGN(auto agent, make_exec_agent(shell(R"(
    next; echo "{\"id\": $id, \"error\": \"no idea\"}"
    next; echo "{\"id\": $id, \"comand\": \"ls\"}"
    next; echo "{\"id\": $id}"
    next; echo "{\"id\": $id, \"value\": 7}"
    next; echo "{\"id\": $id, \"choice\": 2}"
    next)")));
  expect_in("the agent program says: 'no idea'", agent->propose(situation, usage).error());
  expect_in("unknown field \"comand\"", agent->propose(situation, usage).error());
  expect_in("\"command\" is missing", agent->propose(situation, usage).error());
  expect_in("\"value\" must be a number from 0 to 1", agent->assess(situation, {}, usage).error());
  expect_in("from 0 to 1", agent->choose(situation, {{}, {}}, usage).error());
  EXPECT_EQ(runs(), 1U);
}

TEST_F(ExecAgentTest, AProgramThatTimesOutIsRestarted) {
  ProgramOptions options = shell(
      std::string("[ $(wc -l <runs) -gt 1 ] || { next; mkfifo pipe; read -r never <>pipe; }\n") +
      kAlwaysTrue);
  options.timeout = seconds(2);
  ASSERT_OK_AND_ASSIGN(auto agent, make_exec_agent(options));
  auto proposal = agent->propose(situation, usage);
  ASSERT_FALSE(proposal);
  EXPECT_EQ(proposal.error().code, ErrorCode::kTimedOut);
  expect_in("no answer within 2000 ms", proposal.error());
  EXPECT_OK(agent->propose(situation, usage));
  EXPECT_EQ(runs(), 2U);
}

TEST_F(ExecAgentTest, CreationFailsIfTheProgramCannotBeStarted) {
  auto unknown = make_exec_agent({.argv = {"no-such-program-anywhere"}});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(make_exec_agent({.argv = {dir / "missing"}}));
  EXPECT_FALSE(make_exec_agent({.argv = {"sh"}, .log = dir / "no/log"}));
  EXPECT_FALSE(make_exec_agent({}));
}

TEST_F(ExecAgentTest, DestroyingTheAgentEndsTheProgramAndItsChildren) {
  ASSERT_OK_AND_ASSIGN(auto agent,
                       make_exec_agent(shell(std::string("sleep 1000 & echo $! >child\n") +
                                             "trap 'echo bye >farewell' EXIT\n" + kAlwaysTrue)));
  ASSERT_OK(agent->propose(situation, usage));
  const pid_t child = std::stoi(os::read_file(dir / "child").value());
  ASSERT_OK_AND_ASSIGN(os::Child watch, os::adopt_child(child));  // not a child of this process
  const os::UniqueFd pidfd(::dup(watch.pidfd()));
  watch.release();
  agent.reset();
  EXPECT_EQ(os::read_file(dir / "farewell").value(), "bye\n");
  ASSERT_OK_AND_ASSIGN(bool has_ended,
                       os::wait_readable(pidfd.get(), Deadline::after(seconds(60))));
  EXPECT_TRUE(has_ended);
}

TEST_F(ExecAgentTest, AnAgentFitsTenLinesOfPython) {
  ASSERT_OK_AND_ASSIGN(auto agent, make_exec_agent(python(R"(
from statefork.agent import Action, Situation, Turn, run

def propose(situation: Situation) -> Action:
    print("this does no harm")
    tried = [turn.command for turn in situation.siblings]
    return Action("make" if "make" not in tried else "cmake .", thought=situation.instruction)

def assess(situation: Situation, turn: Turn) -> float:
    return 0.9 if turn.ok else 0.3

run(propose, assess)
)")));
  ASSERT_OK_AND_ASSIGN(Action proposal, agent->propose(situation, usage));
  EXPECT_EQ(proposal, (Action{"cmake .", "build it", false}));
  ASSERT_OK_AND_ASSIGN(Assessment assessment,
                       agent->assess(situation, {.outcome = {"", 1, false}}, usage));
  EXPECT_DOUBLE_EQ(assessment.value, 0.3);
  ASSERT_OK_AND_ASSIGN(std::size_t choice,
                       agent->choose(situation, {{.value = 0.1}, {.value = 0.2}}, usage));
  EXPECT_EQ(choice, 1U);
  EXPECT_EQ(os::read_file(dir / "log").value(), "this does no harm\n");
}

}  // namespace
}  // namespace sf::explore
