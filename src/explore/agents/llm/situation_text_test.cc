#include "explore/agents/llm/situation_text.h"

#include <gtest/gtest.h>

namespace sf::explore::llm {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::vector<Turn> long_path(int steps, std::size_t output) {
  std::vector<Turn> path;
  for (int i = 1; i <= steps; ++i)
    path.push_back({.action = {.command = "command-" + std::to_string(i)},
                    .outcome = {std::string(output, 'x')}});
  return path;
}

TEST(CutMiddleTest, KeepsBeginningAndEndAndNotesTheOmission) {
  EXPECT_EQ(cut_middle("abc", 3), "abc");
  const std::string text = std::string(100, 'a') + std::string(1000, 'b') + std::string(100, 'c');
  EXPECT_EQ(
      cut_middle(text, 90),
      std::string(30, 'a') + "\n[... 1110 bytes are left out here ...]\n" + std::string(60, 'c'));
}

TEST(CutMiddleTest, CharactersAreNotSplit) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "\u20ac";  // three bytes each
  for (std::size_t most = 0; most < 40; ++most) {
    const std::string cut = cut_middle(text, most);
    const std::size_t notice = cut.find("\n[");
    EXPECT_EQ(notice % 3, 0U) << most;
    EXPECT_EQ((cut.size() - cut.find("]\n") - 2) % 3, 0U) << most;
  }
}

TEST(SituationTextTest, AStepLooksAsInATerminal) {
  const Turn turn{.action = {"ls x", "look"}, .outcome = {"no x", 2}};
  EXPECT_EQ(step_text(turn, 1000), "Thought: look\n$ ls x\nno x\n[exit status 2]\n");
  EXPECT_EQ(step_text({.action = {.command = "sleep 9"}, .outcome = {"", 130, true}}, 1000),
            "$ sleep 9\n[timed out]\n");
  EXPECT_EQ(step_text({.action = {.is_last = true}}, 1000), "(no command)\n");
}

TEST(SituationTextTest, AShortPathIsShownWhole) {
  EXPECT_EQ(path_text({}, 100), "(nothing was done yet)\n");
  const std::string text = path_text(long_path(3, 10), 10'000);
  EXPECT_TRUE(text.starts_with("Step 1\n$ command-1\nxxxxxxxxxx\n[exit status 0]\n\nStep 2\n"));
  EXPECT_FALSE(has(text, "left out"));
}

TEST(SituationTextTest, ALongPathKeepsItsBeginningAndItsEnd) {
  const std::string text = path_text(long_path(100, 200), 4000);
  EXPECT_LT(text.size(), 4100U);
  EXPECT_TRUE(has(text, "command-1\n"));
  EXPECT_TRUE(has(text, "command-99\n"));
  EXPECT_TRUE(has(text, "command-100\n"));
  EXPECT_FALSE(has(text, "command-50\n"));
  EXPECT_TRUE(has(text, "[... 84 steps are left out here: 5 to 88 ...]")) << text;
}

TEST(SituationTextTest, TheLastStepIsAlwaysShown) {
  for (const std::size_t most : {0U, 1U, 50U, 300U}) {
    const std::string text = path_text(long_path(10, 5000), most);
    EXPECT_TRUE(has(text, "Step 10\n")) << most;
    EXPECT_TRUE(has(text, "steps are left out here")) << most;
    EXPECT_LT(text.size(), 1000U + most) << most;
  }
}

TEST(SituationTextTest, SiblingsAreShownWithTheirLessons) {
  Situation situation;
  EXPECT_EQ(siblings_text(situation, 1000), "(nothing yet)\n");
  situation.siblings = {{.action = {"make", "build it"},
                         .outcome = {"no rule", 2},
                         .value = 0.25,
                         .reflection = "there is no Makefile"}};
  situation.ordinal = 3;
  EXPECT_EQ(siblings_text(situation, 4000),
            "$ make\nno rule\n[exit status 2]\nValue: 0.25\nLesson: there is no Makefile\n\n"
            "(2 more are under way)\n");
}

TEST(SituationTextTest, ManySiblingsShareTheByteLimit) {
  Situation situation;
  situation.siblings = long_path(20, 5000);
  EXPECT_LT(siblings_text(situation, 10'000).size(), 15'000U);
}

TEST(SituationTextTest, CandidatesAreNumberedFromOne) {
  const std::string text = candidates_text({{.action = {.command = "a"}, .value = 0.5},
                                            {.action = {.command = "b"}, .reflection = "good"}},
                                           1000);
  EXPECT_TRUE(text.starts_with("Candidate 1\n$ a\n[exit status 0]\nBest value"));
  EXPECT_TRUE(has(text, "Candidate 2\n$ b\n"));
  EXPECT_TRUE(has(text, "Remark: good\n"));
}

}  // namespace
}  // namespace sf::explore::llm
