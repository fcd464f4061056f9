// Every scenario, taken there and back: the same probe prints the same thing.
#include <gtest/gtest.h>

#include <memory>
#include <ostream>

#include "runner.h"
#include "testing/matchers.h"
#include "waypoint_host.h"

namespace sf::equivalence {

// How GoogleTest shows a scenario; without it, its bytes.
void PrintTo(const Scenario& scenario, std::ostream* out) { *out << scenario.name; }

namespace {

class EquivalenceTest : public ::testing::TestWithParam<Scenario> {
 protected:
  static void SetUpTestSuite() { ASSERT_OK_AND_ASSIGN(host_holder(), WaypointHost::open()); }
  static void TearDownTestSuite() {
    if (host_holder() != nullptr) host_holder()->close();
    host_holder().reset();
  }
  // One host for all tests of a family, as GoogleTest's suites want it.
  static std::unique_ptr<WaypointHost>& host_holder() {
    static std::unique_ptr<WaypointHost> host;
    return host;
  }
};

TEST_P(EquivalenceTest, ProbePrintsTheSameInEveryContinuation) {
  ASSERT_NE(host_holder(), nullptr);
  check_scenario(*host_holder(), GetParam());
}

std::string scenario_name(const ::testing::TestParamInfo<Scenario>& info) {
  return info.param.name;
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

}  // namespace
}  // namespace sf::equivalence
