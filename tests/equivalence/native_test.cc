// What the native engine alone brings back: rows like those of equivalence_test, which CRIU fails
// or leaves out. And what it declines.
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <ostream>

#include "native_limits.h"
#include "runner.h"
#include "testing/matchers.h"
#include "waypoint_host.h"

namespace sf::equivalence {

// How GoogleTest shows a scenario; without it, its bytes.
void PrintTo(const Scenario& scenario, std::ostream* out) { *out << scenario.name; }
void PrintTo(const Limit& limit, std::ostream* out) { *out << limit.scenario.name; }

namespace {

template <typename Row>
class WithNativeEngine : public ::testing::TestWithParam<Row> {
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

using NativeTest = WithNativeEngine<Scenario>;
using NativeLimitsTest = WithNativeEngine<Limit>;

TEST_P(NativeTest, ProbePrintsTheSameInEveryContinuation) {
  ASSERT_NE(host_holder(), nullptr);
  check_scenario(*host_holder(), GetParam());
}

TEST_P(NativeLimitsTest, IsNamedAndNothingIsTouched) {
  ASSERT_NE(host_holder(), nullptr);
  check_declined(*host_holder(), GetParam().scenario, GetParam().reason);
}

std::string limit_name(const ::testing::TestParamInfo<Limit>& info) {
  return info.param.scenario.name;
}

std::string scenario_name(const ::testing::TestParamInfo<Scenario>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Native, NativeTest, ::testing::ValuesIn(native_scenarios()),
                         scenario_name);
INSTANTIATE_TEST_SUITE_P(Native, NativeLimitsTest, ::testing::ValuesIn(native_limits()),
                         limit_name);

}  // namespace
}  // namespace sf::equivalence
