// States that only the native engine restores: rows like those of equivalence_test, for which CRIU
// fails or which it omits. Also the states that the native engine declines.
#include <cstdlib>

#include "native_limits.h"
#include "scenario_test.h"

namespace sf::equivalence {

// How GoogleTest prints a limit; by default it prints bytes.
void PrintTo(const Limit& limit, std::ostream* out) { *out << limit.scenario.name; }

namespace {

template <typename Row>
class WithNativeEngine : public OverOneHost<Row> {
 protected:
  static void SetUpTestSuite() {
    ::setenv("SF_ENGINE", "native", 1);
    OverOneHost<Row>::open_host();
  }
};

using NativeTest = WithNativeEngine<Scenario>;
using NativeLimitsTest = WithNativeEngine<Limit>;

TEST_P(NativeTest, ProbePrintsTheSameInEveryContinuation) { check_scenario(host(), GetParam()); }

TEST_P(NativeLimitsTest, StateIsDeclinedByNameAndLeftUntouched) {
  check_declined(host(), GetParam().scenario, GetParam().reason);
}

std::string limit_name(const ::testing::TestParamInfo<Limit>& info) {
  return info.param.scenario.name;
}

INSTANTIATE_TEST_SUITE_P(Native, NativeTest, ::testing::ValuesIn(native_scenarios()),
                         scenario_name);
INSTANTIATE_TEST_SUITE_P(Native, NativeLimitsTest, ::testing::ValuesIn(native_limits()),
                         limit_name);

}  // namespace
}  // namespace sf::equivalence
