#include "cli/render/command_log_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace sf::cli {
namespace {

using wire::Json;

Json entry(const char* text, int exit_code = 0) {
  return {{"kind", "command"}, {"text", text}, {"exit_code", exit_code}, {"duration_us", 1500}};
}

Json sample_tree() {
  const char* time = "2026-01-31T12:00:01.123456Z";
  return {{"nodes",
           {{{"id", "n0"}, {"parent", nullptr}, {"created_at", time}, {"log", Json::array()}},
            {{"id", "n1"}, {"parent", "n0"}, {"created_at", time}, {"log", {entry("one")}}},
            {{"id", "n2"}, {"parent", "n1"}, {"created_at", time}, {"log", {entry("other")}}},
            {{"id", "n3"}, {"parent", "n1"}, {"created_at", time}, {"log", {entry("two", 3)}}}}},
          {"branches",
           {{{"id", "b1"}, {"node", "n2"}, {"pending", Json::array()}},
            {{"id", "main"}, {"node", "n3"}, {"pending", {entry("three")}}}}}};
}

TEST(CommandLogTextTest, BranchLogHasItsPathFromTheRootAndPendingEntries) {
  EXPECT_EQ(command_log_text(branch_log(sample_tree(), "main")),
            "NODE  SNAPSHOT (UTC)       EXIT  TOOK  COMMAND\n"
            "n1    2026-01-31 12:00:01  0     2 ms  one\n"
            "n3    2026-01-31 12:00:01  3     2 ms  two\n"
            "-     -                    0     2 ms  three\n");
}

TEST(CommandLogTextTest, TimeoutsAndUnknownOutcomesAreNamed) {
  Json late = entry("late");
  late["timed_out"] = true;
  Json lost = entry("lost");
  lost["outcome_unknown"] = true;
  Json file = entry("/etc/hosts");
  file["kind"] = "write_file";
  Json ended = entry("exit");
  ended["shell_restarted"] = true;
  EXPECT_EQ(command_log_text({late, lost, file, ended}),
            "EXIT     TOOK  COMMAND\n"
            "timeout  2 ms  late\n"
            "?        2 ms  lost\n"
            "0        2 ms  (write_file) /etc/hosts\n"
            "0        2 ms  exit  [ended its shell]\n");
}

}  // namespace
}  // namespace sf::cli
