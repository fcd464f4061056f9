// What the native engine alone brings back: rows like those of equivalence_test, which CRIU fails
// or leaves out.
#include <cstdlib>

#include "scenario_test.h"

namespace sf::equivalence {
namespace {

class NativeTest : public ScenarioTest {
 protected:
  static void SetUpTestSuite() {
    ::setenv("SF_ENGINE", "native", 1);
    open_host();
  }
};

TEST_P(NativeTest, ProbePrintsTheSameInEveryContinuation) { check_scenario(host(), GetParam()); }

INSTANTIATE_TEST_SUITE_P(Native, NativeTest, ::testing::ValuesIn(native_scenarios()),
                         scenario_name);

}  // namespace
}  // namespace sf::equivalence
