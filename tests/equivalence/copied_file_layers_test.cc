// The same tests on a store that copies files instead of snapshotting them: all file scenarios and
// one of each other kind. Only inode numbers are not compared, see known_limits.md.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "scenario_test.h"

namespace sf::equivalence {
namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

// Files that were created in the branch get other inode numbers in a copy. Link counts and writes
// through each name still tell hard links apart.
Scenario without_inode_numbers(Scenario scenario) {
  for (std::string& probe : scenario.probe) {
    replace_all(probe, " %i", "");
    replace_all(probe, "ls -ia", "ls -a");
    replace_all(probe, "ls -i", "ls");
  }
  return scenario;
}

// Besides the file scenarios: fast scenarios in which processes hold files open.
constexpr std::string_view kChosen[] = {"OpenDescriptors",
                                        "HereDocument",
                                        "Coprocess",
                                        "StoppedJob",
                                        "DoubleForkedDaemon",
                                        "ProcessOfAnotherUser",
                                        "AptLikeTree",
                                        "Redis",
                                        "SqliteWithAnOpenTransaction",
                                        "Nginx",
                                        "MemoryFile",
                                        "PosixSharedMemory",
                                        "SharedFileMapping",
                                        "NamedPipe",
                                        "UnlinkedFile",
                                        "AppendingDescriptor",
                                        "SharedOffset",
                                        "Flock",
                                        "PosixLock",
                                        "OfdLock"};

std::vector<Scenario> scenarios_for_copies() {
  std::vector<Scenario> others;
  for (const auto& family : {shell_scenarios(), job_scenarios(), package_scenarios(),
                             service_scenarios(), kernel_scenarios()})
    others.insert(others.end(), family.begin(), family.end());
  std::vector<Scenario> all = file_scenarios();
  for (std::string_view name : kChosen) {
    auto found = std::ranges::find(others, name, &Scenario::name);
    SF_CHECK(found != others.end());
    all.push_back(*found);
  }
  for (Scenario& scenario : all) scenario = without_inode_numbers(scenario);
  return all;
}

class CopiedFileLayersTest : public ScenarioTest {
 protected:
  static void SetUpTestSuite() {
    open_host(waypoint::FileLayerKind::kCopy);
    if (!HasFatalFailure()) {
      ASSERT_EQ(host().waypoint().file_layers(), "copy");
    }
  }
};

TEST_P(CopiedFileLayersTest, ProbePrintsTheSameInEveryContinuation) {
  check_scenario(host(), GetParam());
}

INSTANTIATE_TEST_SUITE_P(All, CopiedFileLayersTest, ::testing::ValuesIn(scenarios_for_copies()),
                         [](const ::testing::TestParamInfo<Scenario>& each) {
                           return std::to_string(each.index) + "_" + each.param.name;
                         });

}  // namespace
}  // namespace sf::equivalence
