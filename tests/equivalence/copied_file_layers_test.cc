// The same promise where the store copies files instead of snapshotting them: everything about
// files, and one of each other kind. Only inode numbers are not looked at, see known_limits.md.
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

// Files born in the branch get other numbers when they are copied. Links are still told apart by
// their count and by what is written through them.
Scenario without_inode_numbers(Scenario scenario) {
  for (std::string& probe : scenario.probe) {
    replace_all(probe, " %i", "");
    replace_all(probe, "ls -ia", "ls -a");
    replace_all(probe, "ls -i", "ls");
  }
  return scenario;
}

// Beside those of files: the quick ones in which processes hold on to files.
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
