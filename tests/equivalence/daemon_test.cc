// The same guarantee through the daemon, with every policy.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/check.h"
#include "daemon_host.h"
#include "runner.h"
#include "testing/matchers.h"

namespace sf::equivalence {

// How GoogleTest prints a scenario; by default it prints bytes.
void PrintTo(const Scenario& scenario, std::ostream* out) { *out << scenario.name; }

namespace {

// The output of these scenarios normally differs when their commands run again: inode numbers and
// times of new files, and data derived from them (hashes of stashes, compiled Python).
constexpr std::string_view kUnrepeatable[] = {"Tree",
                                              "DeletedAndRemadeBaseDirectory",
                                              "RenamedDirectory",
                                              "RenamedBaseDirectory",
                                              "FileAndDirectoryTakeEachOthersPlace",
                                              "EditedBaseFiles",
                                              "SymbolicLinks",
                                              "HardLinks",
                                              "LargeFile",
                                              "Fifo",
                                              "UnixSocketFile",
                                              "InodeNumbers",
                                              "TemporaryDirectories",
                                              "GitWithUncommittedWork",
                                              "PythonEnvironment",
                                              "PipLikeTree",
                                              "AptLikeTree"};

bool is_repeatable(const Scenario& scenario) {
  return std::ranges::find(kUnrepeatable, scenario.name) == std::end(kUnrepeatable);
}

std::vector<Scenario> scenarios(bool repeatable) {
  std::vector<Scenario> all;
  for (const Family& family : all_families())
    all.insert(all.end(), family.scenarios.begin(), family.scenarios.end());
  // A session's user other than root can create neither /w nor the programs.
  std::erase_if(all, [](const Scenario& scenario) { return scenario.user != "root"; });
  std::erase_if(all, [&](const Scenario& each) { return is_repeatable(each) != repeatable; });
  SF_CHECK(repeatable || all.size() == std::size(kUnrepeatable));
  return all;
}

class DaemonEquivalenceTest : public ::testing::TestWithParam<std::tuple<const char*, Scenario>> {
 protected:
  static void SetUpTestSuite() { ASSERT_OK_AND_ASSIGN(host_holder(), DaemonHost::open()); }
  static void TearDownTestSuite() { host_holder().reset(); }
  static std::unique_ptr<DaemonHost>& host_holder() {
    static std::unique_ptr<DaemonHost> host;
    return host;
  }
};

TEST_P(DaemonEquivalenceTest, ProbePrintsTheSameInEveryContinuation) {
  const auto& [policy, scenario] = GetParam();
  host_holder()->use("waypoint", policy);
  check_scenario(*host_holder(), scenario);
}

std::string row_name(const ::testing::TestParamInfo<std::tuple<const char*, Scenario>>& row) {
  return std::string(std::get<0>(row.param)) + "_" + std::to_string(row.index) + "_" +
         std::get<1>(row.param).name;
}

INSTANTIATE_TEST_SUITE_P(Repeatable, DaemonEquivalenceTest,
                         ::testing::Combine(::testing::Values("eager", "lazy", "smart"),
                                            ::testing::ValuesIn(scenarios(true))),
                         row_name);
INSTANTIATE_TEST_SUITE_P(Unrepeatable, DaemonEquivalenceTest,
                         ::testing::Combine(::testing::Values("eager"),
                                            ::testing::ValuesIn(scenarios(false))),
                         row_name);

class DaemonDivergenceTest : public DaemonEquivalenceTest {};

// The first output of the probe is part of the log, so a replay that leads to another state is
// detected.
TEST_P(DaemonDivergenceTest, DivergedReplayIsReported) {
  const auto& [policy, scenario] = GetParam();
  host_holder()->use("waypoint", policy);
  ASSERT_OK_AND_ASSIGN(Session session, Session::start(*host_holder(), scenario.user));
  ASSERT_OK(prepare(session, scenario));
  ASSERT_OK_AND_ASSIGN(Observations expected, session.run(scenario.probe));
  ASSERT_OK_AND_ASSIGN(CheckpointId here, session.checkpoint());
  ASSERT_OK(session.run("echo still the same shell >/w/mark"));
  Status restored = session.restore(here);
  if (restored.ok()) {
    // The node was physical, or the replay ran within the same second.
    ASSERT_OK_AND_ASSIGN(Observations back, session.run(scenario.probe));
    EXPECT_TRUE(same(expected, back, "the branch after restore"));
    return;
  }
  EXPECT_EQ(restored.error().code, ErrorCode::kDiverged) << restored.error().describe();
  ASSERT_OK_AND_ASSIGN(Observation mark, session.run("cat /w/mark"));
  EXPECT_EQ(mark.output, "still the same shell\n") << "the branch has changed";
}

INSTANTIATE_TEST_SUITE_P(Unrepeatable, DaemonDivergenceTest,
                         ::testing::Combine(::testing::Values("lazy", "smart"),
                                            ::testing::ValuesIn(scenarios(false))),
                         row_name);

}  // namespace
}  // namespace sf::equivalence
