// What the native engine alone brings back: rows like those of equivalence_test, which CRIU fails
// or leaves out.
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <ostream>

#include "runner.h"
#include "testing/matchers.h"
#include "waypoint_host.h"

namespace sf::equivalence {

// How GoogleTest shows a scenario; without it, its bytes.
void PrintTo(const Scenario& scenario, std::ostream* out) { *out << scenario.name; }

namespace {

class NativeTest : public ::testing::TestWithParam<Scenario> {
 protected:
  static void SetUpTestSuite() {
    ::setenv("SF_ENGINE", "native", 1);
    ASSERT_OK_AND_ASSIGN(host_holder(), WaypointHost::open());
  }
  static void TearDownTestSuite() {
    if (host_holder() != nullptr) host_holder()->close();
    host_holder().reset();
  }
  static std::unique_ptr<WaypointHost>& host_holder() {
    static std::unique_ptr<WaypointHost> host;
    return host;
  }
};

TEST_P(NativeTest, ProbePrintsTheSameInEveryContinuation) {
  ASSERT_NE(host_holder(), nullptr);
  check_scenario(*host_holder(), GetParam());
}

std::string scenario_name(const ::testing::TestParamInfo<Scenario>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Native, NativeTest, ::testing::ValuesIn(native_scenarios()),
                         scenario_name);

}  // namespace
}  // namespace sf::equivalence
