#include "mcp/tool_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace sf::cli::mcp {
namespace {

using wire::Json;

TEST(ToolTextTest, CommandTextHasOutputAndExitCode) {
  EXPECT_EQ(exec_text({{"exit_code", 0}, {"output", "hello\n"}, {"duration_us", 12'000}}),
            "hello\n[exit code 0, 12 ms]\n");
  EXPECT_EQ(exec_text({{"exit_code", 2}, {"output", "no end"}, {"duration_us", 2'500'000}}),
            "no end\n[exit code 2, 2.5 s]\n");
  EXPECT_EQ(exec_text({{"exit_code", 1}, {"output", ""}, {"duration_us", 1'000}}),
            "[exit code 1, 1 ms]\n");
}

TEST(ToolTextTest, RemarksFollowTheOutputOfACommand) {
  std::string text = exec_text({{"exit_code", 130},
                                {"output", "part\n"},
                                {"duration_us", 3'000'000},
                                {"timed_out", true},
                                {"truncated", true},
                                {"output_bytes", 123'456},
                                {"output_base64", "/w=="},
                                {"shell_restarted", true},
                                {"left_background", true},
                                {"background", "job done"}});
  EXPECT_EQ(text.find("[printed by background jobs before this command]\njob done\n[this command]\n"
                      "part\n[timed out"),
            0U)
      << text;
  for (const char* remark :
       {"123456 bytes", "output_base64", "new one was started", "left processes running"})
    EXPECT_NE(text.find(remark), std::string::npos) << remark;
  EXPECT_EQ(text.find("exit code"), std::string::npos);
}

TEST(ToolTextTest, ProgramTextHasBothOutputsAndExitCode) {
  EXPECT_EQ(run_text({{"exit_code", 0}, {"stdout", "out"}, {"stderr", ""}, {"duration_us", 1'000}}),
            "out\n[exit code 0, 1 ms]\n");
  EXPECT_EQ(run_text({{"exit_code", 3}, {"stdout", ""}, {"stderr", "no"}, {"duration_us", 1'000}}),
            "[standard error]\nno\n[exit code 3, 1 ms]\n");
  const std::string text = run_text({{"exit_code", 143},
                                     {"stdout", "part"},
                                     {"stderr", ""},
                                     {"duration_us", 1'000},
                                     {"timed_out", true},
                                     {"truncated", true},
                                     {"stdout_base64", "/w=="}});
  EXPECT_EQ(text.find("exit code"), std::string::npos) << text;
  for (const char* remark : {"killed after 1 ms", "max_output", "stdout_base64 has its bytes"})
    EXPECT_NE(text.find(remark), std::string::npos) << remark;
}

TEST(ToolTextTest, DifferencesAreListedWithTheirPatches) {
  Json diff = {{"differences",
                {{{"subject", "file"},
                  {"kind", "changed"},
                  {"name", "/etc/motd"},
                  {"before", "5 bytes"},
                  {"after", "6 bytes"},
                  {"patch", "--- a\n+++ b\n-x\n+y"}},
                 {{"subject", "port"},
                  {"kind", "added"},
                  {"name", "tcp 127.0.0.1:80"},
                  {"before", ""},
                  {"after", ""},
                  {"patch", ""}}}},
               {"truncated", true}};
  EXPECT_EQ(diff_text(diff),
            "file changed: /etc/motd  (5 bytes -> 6 bytes)\n--- a\n+++ b\n-x\n+y\n"
            "port added: tcp 127.0.0.1:80\n[there are more differences]\n");
  EXPECT_EQ(diff_text({{"differences", Json::array()}, {"truncated", false}}), "no differences\n");
}

TEST(ToolTextTest, SessionsAreListedOnePerLine) {
  Json session = {{"id", "s1"},
                  {"name", "work"},
                  {"backend", "waypoint"},
                  {"root", "/"},
                  {"branches",
                   {{{"id", "main"}, {"node", "n2"}, {"alive", true}},
                    {{"id", "b1"}, {"node", "n1"}, {"alive", false}}}}};
  EXPECT_EQ(session_text(session),
            "session s1 (work): waypoint over /, branches: main on n2, b1 on n1 (lost)");
  session["problem"] = "the disk is full";
  EXPECT_EQ(session_text(session),
            "session s1 (work): waypoint over /, branches: main on n2, b1 on n1 (lost); problem: "
            "the disk is full");
  EXPECT_EQ(sessions_text({{"sessions", Json::array()}}),
            "there are no sessions; session_create makes one\n");
}

TEST(ToolTextTest, SnapshotRestoreAndForkNameTheirNodes) {
  Json arguments = {{"session", "s1"}, {"branch", "main"}, {"name", "good"}};
  EXPECT_EQ(snapshot_text(arguments, {{"node", "n3"},
                                      {"kind", "virtual"},
                                      {"took_us", 900},
                                      {"fallback", {{"detail", "io_uring"}}}}),
            "node n3 (good) holds branch main of session s1: virtual, 1 ms\n"
            "[saved as a virtual node: io_uring]\n");
  EXPECT_EQ(restore_text(arguments, {{"node", "n1"},
                                     {"replayed", 2},
                                     {"took_us", 31'000},
                                     {"accepted", {{{"command", "date"}}}}}),
            "branch main of session s1 is back at node n1, 31 ms\n[2 commands were replayed]\n"
            "[diverged: date]\n");
  EXPECT_EQ(fork_text(arguments,
                      {{"node", "n1"}, {"branches", {{{"branch", "b1"}}, {{"branch", "b2"}}}}}),
            "branches of session s1 at node n1: b1, b2\n");
  const Json diverged = {{"branch", "b1"}, {"accepted", {{{"command", "date"}}}}};
  EXPECT_EQ(fork_text(arguments, {{"node", "n1"}, {"branches", {diverged}}, {"unproven", "why"}}),
            "branches of session s1 at node n1: b1\n[diverged: date]\n"
            "[not proven to be the node's state: why]\n");
  EXPECT_EQ(diff_text({{"differences", Json::array()}, {"truncated", false}, {"unproven", "why"}}),
            "no differences\n[not proven to be the node's state: why]\n");
}

TEST(ToolTextTest, ShortTreeHasCommandsInsteadOfLogs) {
  std::string long_command(199, 'x');
  long_command += "\xc3\xa9 tail";
  Json tree = {{"session", {{"id", "s1"}}},
               {"nodes",
                {{{"id", "n0"},
                  {"name", ""},
                  {"parent", nullptr},
                  {"origin", "main"},
                  {"kind", "physical"},
                  {"unchanged", false},
                  {"created_at", "2026-01-01T00:00:00Z"},
                  {"notes", {{"score", "1"}}},
                  {"log", {{{"text", long_command}, {"exit_code", 0}}}},
                  {"bytes", 5}}}},
               {"branches",
                {{{"id", "main"},
                  {"node", "n0"},
                  {"alive", true},
                  {"created_at", "x"},
                  {"pending", {{{"text", "ls"}}}}}}}};
  Json shown = short_tree(tree);
  EXPECT_EQ(shown["nodes"][0]["commands"][0], std::string(199, 'x') + "...");
  EXPECT_EQ(shown["nodes"][0]["notes"]["score"], "1");
  EXPECT_FALSE(shown["nodes"][0].contains("log"));
  EXPECT_EQ(shown["branches"][0],
            Json({{"id", "main"}, {"node", "n0"}, {"alive", true}, {"pending", {"ls"}}}));
}

TEST(ToolTextTest, PartOfAFileNamesTheNextOffset) {
  Json file = {{"bytes", 100},        {"offset", 10},       {"returned_bytes", 5},
               {"encoding", "utf-8"}, {"content", "hello"}, {"truncated", true}};
  EXPECT_EQ(file_text(file), "hello\n[the file has 100 bytes; continue with offset=15]\n");
}

}  // namespace
}  // namespace sf::cli::mcp
