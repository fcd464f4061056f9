#include "runner.h"

#include <gtest/gtest.h>

#include "testing/matchers.h"

namespace sf::equivalence {

Status prepare(Session& session, const Scenario& scenario) {
  for (std::size_t index = 0; index < scenario.prepare.size(); ++index) {
    const std::string& command = scenario.prepare[index];
    SF_TRY_ASSIGN(Observation seen, session.run(command));
    bool last = index + 1 == scenario.prepare.size();
    if (seen.exit_code != (last ? scenario.last_exit : 0)) {
      return fail(ErrorCode::kOs, "preparing: exit " + std::to_string(seen.exit_code) + " from " +
                                      command + "\n" + seen.output);
    }
  }
  return Ok{};
}

Result<Observations> reference(Host& host, Session& session, const Scenario& scenario) {
  if (scenario.asking == Asking::kAgain) return session.run(scenario.probe);
  SF_TRY_ASSIGN(Session other, Session::start(host, scenario.user));
  SF_TRY(prepare(other, scenario));
  return other.run(scenario.probe);
}

Status disturb(Session& session, const Scenario& scenario) {
  SF_TRY(session.run(scenario.disturb));
  SF_TRY(session.run(damage()));
  SF_TRY(session.run(blinding()));
  return Ok{};
}

::testing::AssertionResult same(const Observations& expected, const Observations& got,
                                const std::string& way) {
  std::string text = difference(expected, got);
  if (text.empty()) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << way << " shows something else:\n" << text;
}

Status check_reference(const Scenario& scenario, const Observations& expected) {
  std::string all;
  for (const Observation& seen : expected) {
    if (seen.exit_code != 0)
      return fail(ErrorCode::kOs, "the probe fails: " + seen.command + "\n" + seen.output);
    all += seen.output;
  }
  if (all.find(scenario.expect) != std::string::npos) return Ok{};
  return fail(ErrorCode::kOs, "the reference lacks " + scenario.expect + ":\n" + all);
}

namespace {

void check_fork(Host& host, const Scenario& scenario, const CheckpointId& here,
                const Observations& expected) {
  ASSERT_OK_AND_ASSIGN(Session fork, Session::fork(host, here));
  ASSERT_OK_AND_ASSIGN(Observations in_fork, fork.run(scenario.probe));
  EXPECT_TRUE(same(expected, in_fork, "a fork of the checkpoint"));
}

}  // namespace

void check_scenario(Host& host, const Scenario& scenario) {
  ASSERT_OK_AND_ASSIGN(Session session, Session::start(host, scenario.user));
  ASSERT_OK(prepare(session, scenario));
  ASSERT_OK_AND_ASSIGN(Observations expected, reference(host, session, scenario));
  EXPECT_OK(check_reference(scenario, expected));

  ASSERT_OK_AND_ASSIGN(CheckpointId here, session.checkpoint());
  ASSERT_OK_AND_ASSIGN(Observations forward, session.run(scenario.probe));
  EXPECT_TRUE(same(expected, forward, "the branch itself after its checkpoint"));

  ASSERT_OK(disturb(session, scenario));
  ASSERT_OK(session.restore(here));
  ASSERT_OK_AND_ASSIGN(CheckpointId again, session.checkpoint());
  ASSERT_OK_AND_ASSIGN(Observations back, session.run(scenario.probe));
  EXPECT_TRUE(same(expected, back, "the branch after restore"));

  ASSERT_OK(disturb(session, scenario));
  ASSERT_NO_FATAL_FAILURE(check_fork(host, scenario, here, expected));

  ASSERT_OK(session.restore(again));
  ASSERT_OK_AND_ASSIGN(Observations second, session.run(scenario.probe));
  EXPECT_TRUE(same(expected, second,
                   "the branch after restore of a checkpoint that was taken after a restore"));
}

void check_declined(Host& host, const Scenario& scenario, const std::string& reason) {
  ASSERT_OK_AND_ASSIGN(Session session, Session::start(host, scenario.user));
  ASSERT_OK(prepare(session, scenario));
  ASSERT_OK_AND_ASSIGN(Observations expected, reference(host, session, scenario));
  auto taken = session.checkpoint();
  ASSERT_FALSE(taken.ok()) << "the engine captured a state that it must decline";
  EXPECT_EQ(taken.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(taken.error().message.find(reason), std::string::npos) << taken.error().describe();
  ASSERT_OK_AND_ASSIGN(Observations after, session.run(scenario.probe));
  EXPECT_TRUE(same(expected, after, "the branch after a refused checkpoint"));
}

}  // namespace sf::equivalence
