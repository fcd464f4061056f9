// Each backend restores exactly the kinds of state that it claims. Each kind has a scenario in
// which a backend without that claim must fail.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>

#include "../backends/world.h"
#include "engines.h"
#include "os/file.h"

namespace sf::test {
namespace {

using control::NodeId;
using control::Preserves;

struct Scenario {
  const char* name;
  Preserves needs;
  const char* prepare;
  const char* probe;
  const char* disturb;
};

// Processes hold random numbers, so running the commands again gives other ones.
const Scenario kScenarios[] = {
    {"files", Preserves::kFiles, "mkdir /root/d; echo old >/root/d/f; ln /root/d/f /root/d/g",
     "cat /root/d/f /root/d/g; ls -i /root/d | awk '{print $1}' | uniq | wc -l",
     "rm -rf /root/d; echo other >/root/d"},
    {"shell", Preserves::kShell, "cd /usr/share; X=5; f() { echo f$X; }; alias ll='echo alias'",
     "pwd; f; alias ll", "cd /; unset X; unset -f f; unalias ll"},
    {"memory", Preserves::kMemory,
     "coproc { n=$SRANDOM; while read -r; do echo $n; done; }; exec 7>&\"${COPROC[1]}\" "
     "8<&\"${COPROC[0]}\"; echo x >&7; read -r -u 8",  // the reply shows that the number was drawn
     "echo x >&7 && read -r -t 5 -u 8 && echo $REPLY", "kill %%; wait; exec 7>&- 8<&-"},
    {"service", Preserves::kLocalServices | Preserves::kProcesses,
     R"(python3 -c '
import socket, os
n = os.urandom(8).hex()
s = socket.create_server(("127.0.0.1", 8123))
if os.fork(): os._exit(0)
os.close(0); os.close(1); os.close(2)
while True:
    c = s.accept()[0]
    c.sendall((n + "\n").encode())
    c.close()')",
     "exec 9<>/dev/tcp/127.0.0.1/8123 && cat <&9; exec 9>&-", "pkill -9 python3"},
};

class PreservesTest : public ::testing::TestWithParam<std::tuple<const char*, Scenario>> {
 protected:
  static void SetUpTestSuite() { engines = std::make_unique<Engines>(); }
  static void TearDownTestSuite() {
    engines.reset();
    const char* path = std::getenv("STATEFORK_MATRIX");
    if (path != nullptr) {
      EXPECT_OK(write_matrix(path));
    }
  }
  static Status write_matrix(const std::string& path);
  static inline std::unique_ptr<Engines> engines;  // started once for all tests
  static inline std::map<std::string, std::map<std::string, bool>> came_back;  // backend, scenario
};

Status PreservesTest::write_matrix(const std::string& path) {
  std::string text =
      "# State that each backend restores\n\n`tests/substrates/preserves_test.cc` writes this "
      "page. "
      "Each state was prepared, kept, disturbed and\nrestored, and a probe was compared with its "
      "output before. To write it again:\n`STATEFORK_MATRIX=docs/backends-matrix.md tools/dev test "
      "-R substrates_preserves`.\n\n| backend |";
  std::string rule = "|---|";
  for (const Scenario& scenario : kScenarios) {
    text += " " + std::string(scenario.name) + " |";
    rule += "---|";
  }
  text += "\n" + rule + "\n";
  for (const auto& [backend, seen] : came_back) {
    text += "| `" + backend + "` |";
    for (const Scenario& scenario : kScenarios) {
      auto found = seen.find(scenario.name);
      text += found == seen.end() ? " not tried |" : found->second ? " yes |" : " no |";
    }
    text += "\n";
  }
  return os::write_file(path, text);
}

INSTANTIATE_TEST_SUITE_P(Backends, PreservesTest,
                         ::testing::Combine(::testing::Values("waypoint", "criu", "gvisor",
                                                              "podman", "vm", "overlay", "docker",
                                                              "podman-commit", "replay"),
                                            ::testing::ValuesIn(kScenarios)),
                         [](const auto& row) {
                           std::string name = std::string(std::get<0>(row.param)) + "_" +
                                              std::get<1>(row.param).name;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST_P(PreservesTest, StateIsRestoredExactlyIfTheBackendClaimsIt) {
  const auto& [backend, scenario] = GetParam();
  ASSERT_OK(engines->prepare(backend));
  World world(engines->tools());
  world.build(backend, "eager", {.root = Engines::root()});
  ASSERT_FALSE(::testing::Test::HasFatalFailure());
  world.run(scenario.prepare);
  NodeId here = world.snapshot();
  std::string first = world.run(scenario.probe);
  ASSERT_FALSE(first.empty());
  ASSERT_EQ(world.run(scenario.probe), first);  // the probe itself changes nothing
  world.run(scenario.disturb);
  ASSERT_NE(world.run(scenario.probe), first);
  world.restore(here);
  std::string again = world.run(scenario.probe);
  came_back[backend][scenario.name] = again == first;
  if (world.backend().preserves().has(scenario.needs)) {
    EXPECT_EQ(again, first);
  } else {
    EXPECT_NE(again, first);
  }
}

}  // namespace
}  // namespace sf::test
