// The complete equivalence table over every backend, through the daemon. If a backend claims all
// that a scenario needs, the state must be restored, except for known_differences.cc. Otherwise at
// least one state of each family must be lost, or the claim is too small.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "../equivalence/daemon_host.h"
#include "../equivalence/runner.h"
#include "engines.h"
#include "known_differences.h"
#include "os/file.h"
#include "os/run_program.h"
#include "table_page.h"
#include "testing/matchers.h"

namespace sf::test {
namespace {

using control::Preserves;
using equivalence::DaemonHost;
using equivalence::Family;
using equivalence::Scenario;
using equivalence::Session;

constexpr milliseconds kShortTimeout{5'000};  // for states that are probably lost

struct Row {
  std::string backend;
  std::string family;
  Preserves needs;
  Scenario scenario;
};
void PrintTo(const Row& row, std::ostream* out) { *out << row.backend << " " << row.scenario.name; }

std::vector<Row> rows() {
  std::vector<Row> all;
  for (const char* backend : {"waypoint", "criu", "gvisor", "podman", "vm", "overlay", "docker",
                              "podman-commit", "replay"}) {
    for (const Family& family : equivalence::all_families()) {
      for (const Scenario& scenario : family.scenarios)
        all.push_back({backend, family.name, family.needs | scenario.also_needs, scenario});
    }
  }
  return all;
}

std::string row_name(const ::testing::TestParamInfo<Row>& info) {
  std::string name = info.param.backend;
  std::erase(name, '-');
  return name + "_" + info.param.family + "_" + info.param.scenario.name;
}

class TableTest : public ::testing::TestWithParam<Row> {
 protected:
  static void SetUpTestSuite() {
    engines = std::make_unique<Engines>();
    ASSERT_OK(make_root());
  }
  static void TearDownTestSuite() {
    if (host) host->close();
    host.reset();
    engines.reset();
    directory.reset();
    for (const auto& [backend, families] : lost) {
      for (const auto& [family, is_lost] : families)
        EXPECT_TRUE(is_lost) << backend << " claims too little: all of " << family << " came back";
    }
    const char* page = std::getenv("STATEFORK_TABLE");
    for (const auto& [backend, families] : counts) {
      if (page != nullptr) {
        EXPECT_OK(write_row(page, backend, families));
      }
    }
  }
  static Status make_root();
  // The daemon looks for the engines when it starts, so start them first.
  static Status prepare_host(const std::string& backend);

  struct Outcome {
    bool was_tried = false;  // the state could be made and probed
    bool came_back = false;
    std::string difference;
  };
  static void disturb(Session& session, const Scenario& scenario);
  static Outcome try_out(Session& session, const Row& row);

  static inline std::unique_ptr<Engines> engines;  // started once for all tests
  static inline std::unique_ptr<TempDir> directory;
  static inline std::unique_ptr<DaemonHost> host;
  static inline std::map<std::string, Preserves> claims;
  static inline std::map<std::string, std::map<std::string, FamilyCount>> counts;
  static inline std::map<std::string, std::map<std::string, bool>> lost;  // unclaimed state
};

Status TableTest::make_root() {
  directory = std::make_unique<TempDir>("sf-table");
  const char* full = std::getenv("STATEFORK_FULL_ROOT");
  if (full == nullptr) return fail(ErrorCode::kNotFound, "STATEFORK_FULL_ROOT is not set");
  SF_TRY_ASSIGN(std::string self, os::read_link("/proc/self/exe"));
  const std::string programs = self.substr(0, self.rfind('/')) + "/stateful";
  // Roots are read-only, so hard links to its files suffice. The mount ends with our namespace.
  SF_TRY_ASSIGN(
      os::ProgramOutput made,
      os::run_program({"/bin/sh", "-c",
                       R"(set -e; cp -al "$1" "$2" || { rm -rf "$2"; cp -a "$1" "$2"; }
mount -t proc proc "$2/proc"; chroot "$2" bash -c "$4" <"$3"; umount "$2/proc")",
                       "sh", full, *directory / "root", programs, equivalence::install_script()},
                      Deadline::after(std::chrono::minutes(5))));
  if (made.succeeded()) return Ok{};
  return fail(ErrorCode::kOs, "the root could not be made: " + made.text);
}

Status TableTest::prepare_host(const std::string& backend) {
  SF_TRY(engines->prepare(backend));
  if (!host) {
    SF_TRY_ASSIGN(host, DaemonHost::open(engines->environment()));
    SF_TRY_ASSIGN(wire::Json known, host->client().get("/v1/backends"));
    for (const wire::Json& each : known["backends"]) {
      std::string words;
      for (const wire::Json& word : each["preserves"])
        words += (words.empty() ? "" : ",") + word.get<std::string>();
      SF_TRY_ASSIGN(claims[each["name"]], control::preserves_from_words(words));
    }
  }
  host->use(backend, "eager", *directory / "root");
  return Ok{};
}

// Like the runner, but ignores errors: if a process in the sandbox connects it to the backend,
// `kill -9 -1` kills that process and fails the command.
void TableTest::disturb(Session& session, const Scenario& scenario) {
  for (const auto& commands : {scenario.disturb, equivalence::damage(), equivalence::blinding()}) {
    for (const std::string& command : commands) (void)session.run(command);
  }
}

TableTest::Outcome TableTest::try_out(Session& session, const Row& row) {
  if (Status prepared = equivalence::prepare(session, row.scenario); !prepared)
    return {.difference = prepared.error().describe()};
  auto expected = equivalence::reference(*host, session, row.scenario);
  if (!expected) return {.difference = expected.error().describe()};
  if (Status shows = equivalence::check_reference(row.scenario, *expected); !shows)
    return {.difference = shows.error().describe()};
  auto here = session.checkpoint();
  if (!here) return {true, false, here.error().describe()};
  disturb(session, row.scenario);
  if (Status restored = session.restore(*here); !restored)
    return {true, false, restored.error().describe()};
  if (!claims[row.backend].has(row.needs)) session.set_patience(kShortTimeout);
  // Compare the shell's working directory only in scenarios about the shell.
  if (!row.needs.has(Preserves::kShell)) (void)session.run("cd /w");
  auto seen = session.run(row.scenario.probe);
  if (!seen) return {true, false, seen.error().describe()};
  auto is_same = equivalence::same(*expected, *seen, "the branch after restore");
  return {true, static_cast<bool>(is_same), is_same.message()};
}

TEST_P(TableTest, StateIsRestoredExactlyIfTheBackendClaimsIt) {
  const Row& row = GetParam();
  ASSERT_OK(prepare_host(row.backend));
  ASSERT_TRUE(claims.contains(row.backend));
  ASSERT_OK_AND_ASSIGN(Session session, Session::start(*host, row.scenario.user));
  Outcome outcome = try_out(session, row);
  using Kind = KnownDifference::Kind;
  const KnownDifference* known = known_difference(row.backend, row.scenario.name);
  EXPECT_EQ(outcome.was_tried, known == nullptr || known->kind != Kind::kCannotBeMade)
      << outcome.difference;
  FamilyCount& count = counts[row.backend][row.family];
  ++count.tried;
  count.came_back += outcome.came_back ? 1 : 0;
  if (!claims[row.backend].has(row.needs)) {
    bool& is_lost = lost[row.backend][row.family];
    is_lost = is_lost || (outcome.was_tried && !outcome.came_back);
    return;
  }
  if (known != nullptr && known->kind == Kind::kByChance) return;
  EXPECT_EQ(outcome.came_back, known == nullptr) << outcome.difference;
}

INSTANTIATE_TEST_SUITE_P(All, TableTest, ::testing::ValuesIn(rows()), row_name);

}  // namespace
}  // namespace sf::test
