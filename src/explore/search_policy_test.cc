// Every policy against a simulated world: a lock with a secret number, where each action enters one
// digit. The agent tries digits in random order. The value of a state is the share of correct
// digits.
#include "explore/search_policy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "explore/budget.h"
#include "explore/policies/policies.h"
#include "testing/matchers.h"

namespace sf::explore {
namespace {

constexpr const char* kSecret = "2101";
constexpr std::size_t kDigits = 3;

class Lock {
 public:
  Lock(unsigned seed, std::size_t jobs) : random_(seed), jobs_(jobs) {}

  // Steps finish in any order.
  std::string solve(const SearchPolicy& policy) {
    for (int rounds = 0; rounds < 100'000; ++rounds) {
      std::string over;
      if (under_way_.size() < jobs_) {
        Decision decision = policy.next(tree_, under_way_, jobs_ - under_way_.size());
        EXPECT_LE(decision.steps.size(), jobs_ - under_way_.size());
        if (decision.steps.empty() && under_way_.empty()) return decision.why;
        for (Step& step : decision.steps) under_way_.push_back(std::move(step));
      }
      const std::size_t chosen = random_() % under_way_.size();
      Step step = under_way_[chosen];
      under_way_.erase(under_way_.begin() + static_cast<std::ptrdiff_t>(chosen));
      std::visit([this](const auto& each) { finish(each); }, step);
    }
    return "the search does not end";
  }
  SearchTree& tree() { return tree_; }
  std::string number(NodeIndex index) const {
    std::string digits;
    for (NodeIndex node : tree_.path(index)) digits += tree_.at(node).action.command;
    return digits;
  }
  // Actions that fail.
  std::set<std::string> broken;

 private:
  void finish(const Expand& expand) {
    SearchNode node;
    node.parent = expand.parent;
    node.lane = expand.lane;
    // The first digit is random, the others follow in order.
    first_.resize(tree_.size() + 1, kDigits);
    if (first_[expand.parent] == kDigits) first_[expand.parent] = random_() % kDigits;
    const std::size_t tried = tree_.children(expand.parent).size();
    node.action.command = std::to_string((first_[expand.parent] + tried) % kDigits);
    const std::string digits = number(expand.parent) + node.action.command;
    const std::string secret = kSecret;
    std::size_t right = 0;
    while (right < digits.size() && right < secret.size() && digits[right] == secret[right])
      ++right;
    node.value = static_cast<double>(right) / static_cast<double>(secret.size());
    node.action.is_last = digits.size() == secret.size();
    if (broken.contains(digits)) node.failure = "broken";
    tree_.add(std::move(node));
  }
  void finish(const Judge& judge) {
    EXPECT_FALSE(tree_.at(judge.node).grade) << "judged twice";
    EXPECT_TRUE(tree_.at(judge.node).failure.empty()) << "a failed node is not judged";
    tree_.set_grade(judge.node, {number(judge.node) == kSecret ? 1.0 : 0.0, ""}, {});
  }
  void finish(const Commit& commit) {
    ASSERT_FALSE(commit.among.empty());
    tree_.commit(*std::ranges::max_element(commit.among, {}, [&](NodeIndex index) {
      double best = 0;
      for (NodeIndex below = 0; below < tree_.size(); ++below) {
        if (tree_.is_below(below, index)) best = std::max(best, tree_.at(below).value);
      }
      return best;
    }));
  }

  std::mt19937 random_;
  std::size_t jobs_;
  SearchTree tree_{"n0"};
  std::vector<Step> under_way_;
  std::vector<std::size_t> first_;  // first digit tried from each node
};

class PolicyTest : public ::testing::TestWithParam<std::tuple<const char*, int>> {
 protected:
  std::unique_ptr<SearchPolicy> policy(PolicyOptions options = {}) {
    options.steps = 4;
    options.attempts = 600;
    return make_policy(std::get<0>(GetParam()), options).value();
  }
  std::size_t jobs() { return static_cast<std::size_t>(std::get<1>(GetParam())); }
};

TEST_P(PolicyTest, TheNodeThatOpensTheLockIsTheBest) {
  auto chosen = policy();
  for (unsigned seed = 0; seed < 20; ++seed) {
    Lock lock(seed, jobs());
    lock.solve(*chosen);
    ASSERT_TRUE(lock.tree().first_passed()) << "seed " << seed;
    EXPECT_EQ(chosen->best(lock.tree()), *lock.tree().first_passed());
    EXPECT_EQ(lock.number(*lock.tree().first_passed()), kSecret);
  }
}

TEST_P(PolicyTest, ASearchWithOnlyFailuresEnds) {
  auto chosen = policy();
  Lock lock(1, jobs());
  lock.broken = {"0", "1", "2"};
  EXPECT_NE(lock.solve(*chosen), "the search does not end");
  EXPECT_FALSE(lock.tree().first_passed());
}

TEST_P(PolicyTest, EndsAreNotExpanded) {
  auto chosen = policy();
  Lock lock(2, jobs());
  lock.broken = {"20", "11"};
  lock.solve(*chosen);
  for (NodeIndex index = 1; index < lock.tree().size(); ++index) {
    if (lock.tree().is_end(index)) {
      EXPECT_TRUE(lock.tree().children(index).empty()) << lock.number(index);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, PolicyTest,
                         ::testing::Combine(::testing::Values("pass@k", "best-of-n", "beam",
                                                              "mcts"),
                                            ::testing::Values(1, 4)),
                         [](const auto& row) {
                           std::string name = std::get<0>(row.param);
                           std::erase_if(name, [](char c) { return c == '@' || c == '-'; });
                           return name + "_" + std::to_string(std::get<1>(row.param));
                         });

TEST(PassAtKTest, TheFirstAttemptThatPassesEndsTheSearch) {
  auto policy = make_policy("pass@k", {.attempts = 500, .steps = 4}).value();
  Lock lock(3, 1);
  EXPECT_EQ(lock.solve(*policy), "one attempt passed");
  for (NodeIndex index = 1; index < lock.tree().size(); ++index)
    EXPECT_LE(lock.tree().children(index).size(), 1U);
  EXPECT_EQ(*lock.tree().first_passed(), lock.tree().size() - 1);
}

TEST(PassAtKTest, NoMoreAttemptsAreMadeThanAllowed) {
  auto policy = make_policy("pass@k", {.attempts = 3, .steps = 2}).value();  // too short to pass
  Lock lock(4, 2);
  EXPECT_EQ(lock.solve(*policy), "all 3 attempts are over");
  EXPECT_EQ(lock.tree().children(kRoot).size(), 3U);
  EXPECT_EQ(lock.tree().size(), 7U);
}

TEST(BestOfNTest, OnlyTheRolloutWithTheHighestValueIsJudged) {
  auto policy = make_policy("best-of-n", {.attempts = 8, .steps = 4}).value();
  Lock lock(5, 3);
  lock.solve(*policy);
  double highest = 0;
  int judged = 0;
  for (const SearchNode& node : lock.tree().nodes()) {
    if (node.action.is_last) highest = std::max(highest, node.value);
    judged += node.grade ? 1 : 0;
  }
  EXPECT_EQ(judged, 1);
  EXPECT_EQ(lock.tree().at(policy->best(lock.tree())).value, highest);
}

TEST(BeamTest, OnlyTheBestStatesOfALevelAreExpanded) {
  auto policy = make_policy("beam", {.steps = 4, .width = 3, .beam = 2}).value();
  Lock lock(6, 4);
  lock.solve(*policy);
  std::map<int, int> parents;  // by level
  for (NodeIndex index = 0; index < lock.tree().size(); ++index) {
    const auto& children = lock.tree().children(index);
    EXPECT_TRUE(children.empty() || children.size() == 3);
    parents[lock.tree().depth(index)] += children.empty() ? 0 : 1;
  }
  for (const auto& [level, count] : parents) EXPECT_LE(count, level == 0 ? 1 : 2) << level;
}

TEST(MctsTest, EachMoveIsChosenFromASmallTree) {
  const PolicyOptions options{.steps = 4, .width = 3, .depth = 2};
  auto policy = make_policy("mcts", options).value();
  Lock lock(7, 3);
  lock.solve(*policy);
  EXPECT_EQ(lock.tree().depth(lock.tree().committed()), 4);
  for (NodeIndex index = 0; index < lock.tree().size(); ++index) {
    EXPECT_LE(lock.tree().children(index).size(), 3U);
    int committed = 0;
    for (NodeIndex child : lock.tree().children(index))
      committed += lock.tree().at(child).is_committed ? 1 : 0;
    EXPECT_LE(committed, 1);
  }
  // At most 6 per search; the nodes below a chosen move are reused.
  EXPECT_LE(lock.tree().size(), 1U + 4 * 6);
}

TEST(MctsTest, ADoneNodeIsHandedInWhileTheMainLineIsOpen) {
  auto policy = make_policy("mcts", {}).value();
  SearchTree tree("n0");
  auto add = [&](NodeIndex parent, double value, bool is_last) {
    SearchNode node;
    node.parent = parent;
    node.value = value;
    node.action.is_last = is_last;
    return tree.add(node);
  };
  const NodeIndex move = add(kRoot, 0.5, false);
  EXPECT_EQ(policy->best(tree), kRoot);
  const NodeIndex elsewhere = add(kRoot, 0.9, true);
  EXPECT_EQ(policy->best(tree), elsewhere);
  tree.commit(move);
  EXPECT_EQ(policy->best(tree), move) << "siblings of the chosen move are out";
  const NodeIndex done = add(move, 0.3, true);
  EXPECT_EQ(policy->best(tree), done);
}

TEST(MctsTest, UctPrefersRarelyVisitedAndValuableNodes) {
  EXPECT_GT(uct(0.5, 1, 10, 1.0), uct(0.5, 5, 10, 1.0));
  EXPECT_GT(uct(0.9, 3, 10, 1.0), uct(0.1, 3, 10, 1.0));
  EXPECT_GT(uct(0.9, 9, 10, 0.0), uct(0.5, 1, 10, 0.0)) << "weight 0 ignores the visits";
}

TEST(MakePolicyTest, UnknownNamesAndInvalidOptionsAreRejected) {
  EXPECT_NE(make_policy("dfs", {}).error().hint.find("mcts"), std::string::npos);
  EXPECT_EQ(make_policy("mcts", {.width = 0}).error().code, ErrorCode::kInvalidArgument);
}

TEST(BudgetTest, TheExhaustedLimitIsNamed) {
  SearchTree tree("n0");
  SearchNode node;
  node.parent = kRoot;
  node.usage.model_calls = 2;
  node.usage.tokens_in = 900;
  node.usage.tokens_out = 100;
  tree.add(node);
  EXPECT_EQ(used_up({}, tree, 0), "");
  EXPECT_EQ(used_up({.nodes = 2}, tree, 0), "");
  EXPECT_EQ(used_up({.nodes = 2}, tree, 1), "2 of 2 nodes");
  EXPECT_EQ(used_up({.model_calls = 2}, tree, 0), "2 of 2 model calls");
  EXPECT_EQ(used_up({.tokens = 1000}, tree, 0), "1000 of 1000 tokens");
  EXPECT_EQ(out_of_time({.time = seconds(5)}, seconds(6)), "6 of 5 seconds");
  EXPECT_EQ(out_of_time({.time = seconds(5)}, seconds(4)), "");
}

}  // namespace
}  // namespace sf::explore
