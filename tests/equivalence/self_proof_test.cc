// Tests the suite itself: with a restore that does nothing, every scenario must fail. A probe that
// does not notice the damage would make its scenario worthless.
#include <string>
#include <vector>

#include "scenario_test.h"

namespace sf::equivalence {
namespace {

constexpr milliseconds kTimeout{5'000};  // a killed server does not answer

std::vector<Scenario> all_scenarios() {
  std::vector<Scenario> all;
  for (const Family& family : all_families())
    all.insert(all.end(), family.scenarios.begin(), family.scenarios.end());
  return all;
}

using SelfProofTest = ScenarioTest;

TEST_P(SelfProofTest, RestoreThatDoesNothingFailsEveryScenario) {
  const Scenario& scenario = GetParam();
  ASSERT_OK_AND_ASSIGN(Session session, Session::start(host(), scenario.user));
  ASSERT_OK(prepare(session, scenario));
  ASSERT_OK_AND_ASSIGN(Observations expected, reference(host(), session, scenario));
  session.set_patience(kTimeout);
  ASSERT_OK(session.run(scenario.disturb));
  ASSERT_OK(session.run(damage()));  // without blinding(), which any probe would notice
  Result<Observations> got = session.run(scenario.probe);  // a failing probe counts as a difference
  EXPECT_FALSE(got.ok() && same(expected, *got, "a restore that does nothing"));
}

std::string numbered_name(const ::testing::TestParamInfo<Scenario>& scenario) {
  return std::to_string(scenario.index) + "_" + scenario.param.name;
}

INSTANTIATE_TEST_SUITE_P(All, SelfProofTest, ::testing::ValuesIn(all_scenarios()), numbered_name);

}  // namespace
}  // namespace sf::equivalence
