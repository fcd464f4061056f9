#include "explore/agents/script_agent.h"

#include <gtest/gtest.h>

#include "testing/matchers.h"

namespace sf::explore {
namespace {

class ScriptAgentTest : public ::testing::Test {
 protected:
  std::string proposed(const Situation& situation) {
    Usage usage;
    auto proposal = agent_->propose(situation, usage);
    return proposal ? proposal->command : "nothing";
  }
  static Turn tried(const std::string& command) { return {.action = {.command = command}}; }

  std::unique_ptr<ScriptAgent> agent_ =
      ScriptAgent::parse(
          R"({"candidates": [{"command": "a"}, {"command": "b"}, {"command": "c"}]})")
          .value();
};

TEST_F(ScriptAgentTest, ASearchGetsTheFirstUntriedCandidate) {
  EXPECT_EQ(proposed({.ordinal = 0}), "a");
  EXPECT_EQ(proposed({.ordinal = 2}), "c") << "two are under way";
  EXPECT_EQ(proposed({.siblings = {tried("b")}, .ordinal = 2}), "c") << "one is under way";
  EXPECT_EQ(proposed({.siblings = {tried("a"), tried("b"), tried("c")}, .ordinal = 3}), "nothing");
}

TEST_F(ScriptAgentTest, CandidatesLostWhenTheRunWasKilledAreProposedAgain) {
  // A sibling without a command: the agent had no proposal.
  EXPECT_EQ(proposed({.siblings = {tried("a"), tried("c"), tried("")}, .ordinal = 3}), "b");
}

TEST_F(ScriptAgentTest, TheRolloutNumberSelectsThePath) {
  EXPECT_EQ(proposed({.siblings = {tried("a")}, .ordinal = 1, .lane = 1}), "b");
  EXPECT_EQ(proposed({.siblings = {tried("a")}, .ordinal = 1, .lane = 3}), "a");
}

TEST_F(ScriptAgentTest, SimulatedModelCallsTakeTimeAndAreCounted) {
  constexpr milliseconds kThink{20};
  auto slow = ScriptAgent::parse(R"({"candidates": [{"command": "a"}]})", kThink).value();
  Usage usage;
  const Stopwatch watch;
  EXPECT_OK(slow->propose({}, usage));
  EXPECT_OK(slow->assess({}, tried("a"), usage));
  EXPECT_OK(slow->choose({}, {tried("a"), tried("b")}, usage));
  EXPECT_OK(slow->choose({}, {tried("a")}, usage)) << "a single candidate needs no call";
  EXPECT_FALSE(slow->propose({.siblings = {tried("a")}, .ordinal = 1}, usage))
      << "a model call is counted even without a proposal";
  EXPECT_EQ(usage.model_calls, 4U);
  EXPECT_GE(usage.model_time, 4 * kThink);
  EXPECT_LE(usage.model_time, watch.elapsed());

  Usage none;
  EXPECT_OK(agent_->propose({}, none));
  EXPECT_EQ(none, Usage());
}

}  // namespace
}  // namespace sf::explore
