#include "cli/render/diff_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace sf::cli {
namespace {

using wire::Json;

Json difference(const char* subject, const char* kind, const char* name, const char* before = "",
                const char* after = "", const char* patch = "") {
  return {{"subject", subject}, {"kind", kind},   {"name", name},
          {"before", before},   {"after", after}, {"patch", patch}};
}

constexpr const char* kPatch = "--- /root/f\n+++ /root/f\n@@ -1 +1 @@\n-one\n+two\x1b[2J\n";

Json sample() {
  return {{"differences",
           {difference("file", "changed", "/root/f", "file, mode 0644, owner 0:0, 4 bytes",
                       "file, mode 0755, owner 0:0, 8 bytes", kPatch),
            difference("cwd", "changed", "cwd", "/", "/tmp"),
            difference("file", "added", "/root/new", "", "file, mode 0644, owner 0:0, 0 bytes"),
            difference("file", "removed", "/root/d", "directory, mode 0755, owner 0:0"),
            difference("process", "removed", "sleep 1000"),
            difference("port", "added", "tcp 127.0.0.1:8000"),
            difference("environment", "changed", "X", "a,b", "a,c"),
            difference("environment", "added", "Y", "", "1")}},
          {"truncated", false}};
}

TEST(DiffTextTest, EverySubjectHasASectionAndPatchesFollowTheirFile) {
  EXPECT_EQ(diff_text(sample(), DiffDetail::kPatches, Colours::kOff),
            "Files\n"
            "  ~ /root/f  mode 0644 -> mode 0755, 4 bytes -> 8 bytes\n" +
                std::string(kPatch) +
                "  + /root/new  file, mode 0644, owner 0:0, 0 bytes\n"
                "  - /root/d  directory, mode 0755, owner 0:0\n"
                "Processes\n"
                "  - sleep 1000\n"
                "Listening ports\n"
                "  + tcp 127.0.0.1:8000\n"
                "Environment\n"
                "  ~ X: a,b -> a,c\n"
                "  + Y=1\n"
                "Working directory\n"
                "  ~ / -> /tmp\n");
}

TEST(DiffTextTest, StatCountsLinesInsteadOfShowingThem) {
  std::string text = diff_text(sample(), DiffDetail::kStat, Colours::kOff);
  EXPECT_NE(text.find("8 bytes, lines +1 -1\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("@@"), std::string::npos) << text;
  EXPECT_TRUE(
      text.ends_with("changed: 3 files, 1 process, 1 port, 2 variables, working directory\n"))
      << text;
}

TEST(DiffTextTest, FileNamesAreListedOnePerLine) {
  EXPECT_EQ(diff_text(sample(), DiffDetail::kFileNames, Colours::kOff),
            "/root/f\n/root/new\n/root/d\n");
}

TEST(DiffTextTest, NoDifferenceGivesEmptyText) {
  Json none = {{"differences", Json::array()}, {"truncated", false}};
  for (DiffDetail detail : {DiffDetail::kPatches, DiffDetail::kStat, DiffDetail::kFileNames})
    EXPECT_EQ(diff_text(none, detail, Colours::kOff), "");
}

TEST(DiffTextTest, OnlyColourSequencesReachTheTerminal) {
  std::string text = diff_text(sample(), DiffDetail::kPatches, Colours::kOn);
  EXPECT_NE(text.find("\x1b[32m+two^[[2J\x1b[m\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\x1b[36m@@ -1 +1 @@\x1b[m\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\x1b[1m--- /root/f\x1b[m\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace sf::cli
