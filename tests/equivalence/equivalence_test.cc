// Every scenario: a probe prints the same after each restore and in a fork.
#include "scenario_test.h"

namespace sf::equivalence {
namespace {

using EquivalenceTest = ScenarioTest;

TEST_P(EquivalenceTest, ProbePrintsTheSameInEveryContinuation) {
  check_scenario(host(), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Shell, EquivalenceTest, ::testing::ValuesIn(shell_scenarios()),
                         scenario_name);
INSTANTIATE_TEST_SUITE_P(Jobs, EquivalenceTest, ::testing::ValuesIn(job_scenarios()),
                         scenario_name);
INSTANTIATE_TEST_SUITE_P(Files, EquivalenceTest, ::testing::ValuesIn(file_scenarios()),
                         scenario_name);
INSTANTIATE_TEST_SUITE_P(Packages, EquivalenceTest, ::testing::ValuesIn(package_scenarios()),
                         scenario_name);
INSTANTIATE_TEST_SUITE_P(Services, EquivalenceTest, ::testing::ValuesIn(service_scenarios()),
                         scenario_name);
INSTANTIATE_TEST_SUITE_P(Kernel, EquivalenceTest, ::testing::ValuesIn(kernel_scenarios()),
                         scenario_name);
INSTANTIATE_TEST_SUITE_P(Standing, EquivalenceTest, ::testing::ValuesIn(standing_scenarios()),
                         scenario_name);

}  // namespace
}  // namespace sf::equivalence
