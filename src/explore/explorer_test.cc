// The explorer with a script and an in-memory world, in which a state is the list of commands that
// led to it.
#include "explore/explorer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>

#include "explore/agents/script_agent.h"
#include "explore/journal.h"
#include "testing/matchers.h"

namespace sf::explore {
namespace {

// Two wrong candidates for each right one. The path of all "right" is the solution.
constexpr const char* kScript = R"({"candidates": [
  {"command": "wrong", "value": 0.2, "reflection": "that was wrong", "next": [
     {"command": "lost", "value": 0.1, "last": true}]},
  {"command": "broken"},
  {"command": "right", "value": 0.6, "next": [
     {"command": "wrong", "value": 0.3, "last": true},
     {"command": "right", "value": 0.8, "next": [
        {"command": "wrong", "value": 0.4, "last": true},
        {"command": "right", "value": 0.9, "last": true}]}]}]})";

class MemoryWorld final : public World {
 public:
  Result<Advance> advance(const std::string& state, const Action& action) override {
    if (is_gone) return fail(ErrorCode::kOs, "no answer");
    if (action.command.empty()) return Advance{{}, state, {}};
    if (action.command == "broken") return fail(ErrorCode::kOs, "the world broke");
    ++now;
    most = std::max<int>(most, now);
    std::this_thread::yield();
    --now;
    return Advance{{"ran " + action.command, action.command == "wrong" ? 1 : 0, false},
                   state + "/" + action.command,
                   {.command_time = microseconds(10)}};
  }
  Result<Grade> grade(const std::string& state, Usage&) override {
    return Grade{state == "/right/right/right" ? 1.0 : 0.0, "graded " + state};
  }
  Status check() override {
    return is_gone ? Status(fail(ErrorCode::kOs, "there is no daemon")) : Status(Ok{});
  }
  Status remember(const std::string& state, const SearchNode& node) override {
    std::lock_guard lock(mutex);
    minds[state] = node.action.command;
    return Ok{};
  }
  std::atomic<bool> is_gone = false;
  std::atomic<int> now = 0;
  std::atomic<int> most = 0;
  std::mutex mutex;
  std::map<std::string, std::string> minds;
};

class ExplorerTest : public ::testing::TestWithParam<const char*> {
 protected:
  Result<Ending> run(const SearchPolicy& policy) {
    sinks.journal = [this](const std::string& line) {
      journal += line;
      return Ok{};
    };
    return explore(tree, policy, *agent, world, options, sinks);
  }
  SearchTree tree{""};
  std::unique_ptr<ScriptAgent> agent = ScriptAgent::parse(kScript).value();
  MemoryWorld world;
  ExploreOptions options;
  ExploreSinks sinks;
  std::string journal = root_line("");
};

std::unique_ptr<SearchPolicy> policy_called(const std::string& name) {
  return make_policy(name, {.attempts = 20, .steps = 3, .width = 3, .depth = 2}).value();
}

TEST_P(ExplorerTest, EveryPolicyFindsTheSolutionWithOneJobAndWithMany) {
  for (std::size_t jobs : {1U, 4U}) {
    tree = SearchTree("");
    options.jobs = jobs;
    ASSERT_OK_AND_ASSIGN(Ending ending, run(*policy_called(GetParam())));
    EXPECT_TRUE(ending.is_whole) << ending.why;
    EXPECT_EQ(tree.at(ending.best).state, "/right/right/right") << ending.why;
    ASSERT_TRUE(tree.at(ending.best).grade);
    EXPECT_TRUE(tree.at(ending.best).grade->passed());
    EXPECT_EQ(world.minds.at("/right/right"), "right");
  }
}

// The run is killed after any number of lines; a resumed run has only the journal.
TEST_P(ExplorerTest, AKilledRunIsResumedFromItsJournal) {
  const auto policy = policy_called(GetParam());
  ASSERT_OK(run(*policy));
  const std::string whole = journal;
  for (std::size_t end = whole.find('\n') + 1; end < whole.size(); end += 97) {
    ASSERT_OK_AND_ASSIGN(SearchTree left, read_journal(std::string_view(whole).substr(0, end)));
    tree = std::move(left);
    ASSERT_OK_AND_ASSIGN(Ending ending, run(*policy));
    EXPECT_EQ(tree.at(ending.best).state, "/right/right/right") << end;
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, ExplorerTest,
                         ::testing::Values("pass@k", "best-of-n", "beam", "mcts"),
                         [](const auto& row) {
                           std::string name = row.param;
                           std::erase_if(name, [](char c) { return c == '@' || c == '-'; });
                           return name;
                         });

class ExploreTest : public ExplorerTest {};

TEST_F(ExploreTest, AFailedStepIsADeadEndWithItsReason) {
  ASSERT_OK(run(*policy_called("mcts")));
  auto broken = std::ranges::find_if(
      tree.nodes(), [](const SearchNode& node) { return node.action.command == "broken"; });
  ASSERT_NE(broken, tree.nodes().end());
  EXPECT_EQ(broken->failure, "the world broke");
  EXPECT_TRUE(broken->state.empty());
}

TEST_F(ExploreTest, TheBestNodeIsGradedWhenTheBudgetEnds) {
  options.budget.nodes = 4;
  ASSERT_OK_AND_ASSIGN(Ending ending, run(*policy_called("beam")));
  EXPECT_EQ(ending.why, "the budget is used up: 4 of 4 nodes");
  EXPECT_FALSE(ending.is_whole);
  EXPECT_EQ(tree.size(), 5U);
  EXPECT_TRUE(tree.at(ending.best).grade);
}

TEST_F(ExploreTest, NodesReachedWithinTheBudgetAreJudged) {
  // The fourth attempt is the solution. The budget allows no step after its last one.
  agent = ScriptAgent::parse(R"({"candidates": [
    {"command": "wrong", "last": true, "value": 0.9},
    {"command": "right", "next": [{"command": "right", "next": [
       {"command": "right", "last": true, "value": 0.1}]}]}]})")
              .value();
  for (std::size_t jobs : {1U, 3U}) {
    tree = SearchTree("");
    options.jobs = jobs;
    options.budget.nodes = 4;
    ASSERT_OK_AND_ASSIGN(Ending ending,
                         run(*make_policy("pass@k", {.attempts = 2, .steps = 3}).value()));
    EXPECT_EQ(tree.size(), 5U);
    EXPECT_EQ(tree.at(ending.best).state, "/right/right/right");
    ASSERT_TRUE(tree.at(ending.best).grade);
    EXPECT_TRUE(tree.at(ending.best).grade->passed());
  }
}

TEST_F(ExploreTest, AnUnfinishedAttemptIsHandedInIfItIsTheBest) {
  options.budget.nodes = 2;
  for (const char* policy : {"pass@k", "best-of-n", "beam"}) {
    tree = SearchTree("");
    ASSERT_OK_AND_ASSIGN(Ending ending, run(*policy_called(policy)));
    ASSERT_NE(ending.best, kRoot) << policy;
    EXPECT_TRUE(tree.at(ending.best).grade) << policy;
  }
}

TEST_F(ExploreTest, ALostWorldEndsTheRunWithoutDeadEnds) {
  sinks.progress = [this](const SearchTree& seen, const auto&) {
    if (seen.size() == 3) world.is_gone = true;
  };
  auto ended = run(*policy_called("pass@k"));
  ASSERT_FALSE(ended.ok());
  EXPECT_EQ(ended.error().message, "there is no daemon");
  ASSERT_OK_AND_ASSIGN(tree, read_journal(journal));
  EXPECT_EQ(tree.size(), 3U);
  world.is_gone = false;
  sinks.progress = nullptr;
  ASSERT_OK_AND_ASSIGN(Ending ending, run(*policy_called("pass@k")));
  EXPECT_TRUE(tree.at(ending.best).grade->passed()) << "the run is resumed";
}

class FailingAgent final : public Agent {
 public:
  explicit FailingAgent(ErrorCode code) : code_(code) {}
  Result<Action> propose(const Situation&, Usage& usage) override {
    usage.model_calls += 2;
    usage.money += 0.5;
    return fail(code_, "the key is wrong");
  }
  Result<Assessment> assess(const Situation&, const Turn&, Usage&) override { return Assessment{}; }
  Result<std::size_t> choose(const Situation&, const std::vector<Turn>&, Usage&) override {
    return std::size_t{0};
  }

 private:
  ErrorCode code_;
};

TEST_F(ExploreTest, RepeatedAgentFailuresEndTheRun) {
  sinks.journal = [this](const std::string& line) -> Status {
    journal += line;
    return Ok{};
  };
  FailingAgent wrong_key(ErrorCode::kInvalidArgument);
  auto ended = explore(tree, *policy_called("pass@k"), wrong_key, world, options, sinks);
  ASSERT_FALSE(ended.ok());
  EXPECT_NE(ended.error().message.find("the key is wrong"), std::string::npos);
  EXPECT_EQ(tree.size(), 3U) << "the third failure adds no node";
  EXPECT_EQ(tree.total().model_calls, 6U) << "failed calls count";
  EXPECT_DOUBLE_EQ(read_journal(journal).value().total().money, 1.5) << "the journal has all costs";
  tree = SearchTree("");
  FailingAgent has_nothing(ErrorCode::kNotFound);
  EXPECT_OK(explore(tree, *policy_called("pass@k"), has_nothing, world, options, sinks));
  EXPECT_EQ(tree.size(), 21U) << "no proposal is not a failure";
}

TEST_F(ExploreTest, AnEmptyActionDoesNotOverwriteTheNoteOfItsState) {
  agent = ScriptAgent::parse(R"({"candidates": [
    {"command": "right", "next": [{"command": "", "last": true}]}]})")
              .value();
  ASSERT_OK(run(*make_policy("pass@k", {.attempts = 1, .steps = 3}).value()));
  ASSERT_EQ(tree.size(), 3U);
  EXPECT_EQ(tree.at(2).state, "/right");
  EXPECT_EQ(world.minds.at("/right"), "right");
}

// With two jobs, a later step may have finished and an earlier one been lost.
TEST_F(ExploreTest, StepsLostWhenTheRunWasKilledAreTriedAgain) {
  SearchNode wrong;
  wrong.parent = kRoot;
  wrong.state = "/wrong";
  wrong.action.command = "wrong";
  SearchNode broken;
  broken.parent = kRoot;
  broken.action.command = "broken";
  broken.failure = "the world broke";
  SearchNode nothing;
  nothing.parent = kRoot;
  nothing.failure = "the script has no other candidate for this state";
  for (const std::vector<SearchNode>& left :
       {std::vector{broken}, std::vector{wrong, nothing}, std::vector{nothing}}) {
    tree = SearchTree("");
    for (const SearchNode& node : left) tree.add(node);
    ASSERT_OK_AND_ASSIGN(Ending ending,
                         run(*make_policy("beam", {.steps = 3, .width = 4, .beam = 2}).value()));
    EXPECT_EQ(tree.at(ending.best).state, "/right/right/right");
  }
}

TEST_F(ExploreTest, StoppingARunKeepsItsTree) {
  sinks.stopping = [this] { return tree.size() > 2; };
  ASSERT_OK_AND_ASSIGN(Ending ending, run(*policy_called("pass@k")));
  EXPECT_EQ(ending.why, "the run was stopped");
  ASSERT_OK_AND_ASSIGN(SearchTree again, read_journal(journal));
  EXPECT_EQ(again.size(), tree.size());
}

TEST_F(ExploreTest, AJournalThatCannotBeWrittenEndsTheRun) {
  sinks.journal = [](const std::string&) -> Status {
    return fail(ErrorCode::kNoSpace, "the disk is full");
  };
  auto ended = explore(tree, *policy_called("mcts"), *agent, world, options, sinks);
  ASSERT_FALSE(ended.ok());
  EXPECT_EQ(ended.error().code, ErrorCode::kNoSpace);
  EXPECT_EQ(tree.size(), 1U) << "unwritten changes are not applied";
}

}  // namespace
}  // namespace sf::explore
