#include "backends/text_patch.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace sf::backends {
namespace {

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = text.find('\n', at);
    end = end == std::string_view::npos ? text.size() : end + 1;
    lines.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return lines;
}

// Applies hunks as `patch` would, and checks every context and removed line.
std::string patched(const std::string& before, const std::string& patch) {
  std::vector<std::string> old = lines_of(before);
  std::vector<std::string> steps = lines_of(patch);
  std::string result;
  std::size_t at = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::string& step = steps[i];
    if (step.starts_with("@@")) {
      unsigned long start = 0;
      unsigned long count = 1;
      EXPECT_GE(std::sscanf(step.c_str(), "@@ -%lu,%lu", &start, &count), 1);
      if (count > 0) --start;
      while (at < start) result += old.at(at++);
      continue;
    }
    std::string line = step.substr(1);
    if (i + 1 < steps.size() && steps[i + 1].starts_with("\\")) line.pop_back();
    if (step[0] == '\\') continue;
    if (step[0] != '+') {
      EXPECT_EQ(old.at(at), line);
      ++at;
    }
    if (step[0] != '-') result += line;
  }
  while (at < old.size()) result += old[at++];
  return result;
}

TEST(TextPatchTest, EqualTextsNeedNoPatch) { EXPECT_EQ(unified_patch("a\nb\n", "a\nb\n"), ""); }

TEST(TextPatchTest, ChangedLineIsShownInItsContext) {
  EXPECT_EQ(unified_patch("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n"),
            "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}

TEST(TextPatchTest, NewFileHasOnlyAdditions) {
  EXPECT_EQ(unified_patch("", "a\nb\n"), "@@ -0,0 +1,2 @@\n+a\n+b\n");
  EXPECT_EQ(unified_patch("a\n", ""), "@@ -1 +0,0 @@\n-a\n");
}

TEST(TextPatchTest, MissingNewlineAtTheEndIsMarked) {
  EXPECT_EQ(unified_patch("a\n", "a"), "@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n");
}

TEST(TextPatchTest, DistantChangesHaveSeparateHunks) {
  std::string before;
  for (int i = 0; i < 40; ++i) before += std::to_string(i) + "\n";
  std::string after = before;
  after.replace(after.find("2\n"), 1, "two");
  after.replace(after.find("37\n"), 2, "thirty-seven");
  std::string patch = unified_patch(before, after);
  EXPECT_NE(patch.find("@@", patch.find("@@", 3) + 2), std::string::npos) << patch;
  EXPECT_EQ(patched(before, patch), after);
}

TEST(TextPatchTest, PatchTurnsAnyTextIntoTheOther) {
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    std::string texts[2];
    for (std::string& text : texts) {
      for (std::size_t n = random() % 14; n > 0; --n)
        text += std::string(1, "abc"[random() % 3]) + "\n";
      if (!text.empty() && random() % 4 == 0) text.pop_back();
    }
    std::string patch = unified_patch(texts[0], texts[1]);
    ASSERT_EQ(patched(texts[0], patch), texts[1]) << texts[0] << "---\n"
                                                  << texts[1] << "---\n"
                                                  << patch;
  }
}

TEST(TextPatchTest, TextsWithNothingInCommonAreReplacedAsAWhole) {
  std::string before;
  std::string after;
  for (int i = 0; i < 5000; ++i) {
    before += "a" + std::to_string(i) + "\n";
    after += "b" + std::to_string(i) + "\n";
  }
  EXPECT_EQ(patched(before, unified_patch(before, after)), after);
}

TEST(TextPatchTest, TextIsValidUtf8WithoutNulBytes) {
  EXPECT_TRUE(is_text(""));
  EXPECT_TRUE(is_text("gr\xc3\xbc\xc3\x9f\n"));
  EXPECT_FALSE(is_text(std::string("a\0b", 3)));
  EXPECT_FALSE(is_text("\xff\xfe"));
  EXPECT_FALSE(is_text("cut \xc3"));
}

}  // namespace
}  // namespace sf::backends
