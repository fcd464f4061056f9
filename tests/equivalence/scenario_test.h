// ScenarioTest: one test for each scenario; all scenarios of a family share one host. OverOneHost:
// for rows that are not a Scenario.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <string>

#include "runner.h"
#include "testing/matchers.h"
#include "waypoint_host.h"

namespace sf::equivalence {

// How GoogleTest prints a scenario; by default it prints bytes.
inline void PrintTo(const Scenario& scenario, std::ostream* out) { *out << scenario.name; }

inline std::string scenario_name(const ::testing::TestParamInfo<Scenario>& info) {
  return info.param.name;
}

template <typename Row>
class OverOneHost : public ::testing::TestWithParam<Row> {
 protected:
  static void SetUpTestSuite() { open_host(); }
  static void TearDownTestSuite() {
    if (holder() != nullptr) holder()->close();
    holder().reset();
  }
  static void open_host(waypoint::FileLayerKind file_layers = waypoint::FileLayerKind::kAuto) {
    ASSERT_OK_AND_ASSIGN(holder(), WaypointHost::open(file_layers));
  }
  void SetUp() override { ASSERT_NE(holder(), nullptr); }
  static WaypointHost& host() { return *holder(); }

 private:
  // One host for all tests of a family, as GoogleTest's suites require.
  static std::unique_ptr<WaypointHost>& holder() {
    static std::unique_ptr<WaypointHost> host;
    return host;
  }
};
using ScenarioTest = OverOneHost<Scenario>;

}  // namespace sf::equivalence
