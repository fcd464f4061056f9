#include "terminal/terminal_answers.h"

#include <gtest/gtest.h>

namespace sf::waypoint {
namespace {

std::string answers(Screen& screen) {
  std::string all;
  for (const std::string& answer : screen.answers()) all += answer;
  return all;
}

std::string answer(std::string_view printed) {
  Screen screen({24, 80});
  screen.feed(printed);
  return answers(screen);
}

TEST(TerminalAnswersTest, QueriesAreAnsweredAsByXterm) {
  const std::pair<const char*, const char*> asked[] = {
      {"\x1b[c", "\x1b[?62;6;22c"},
      {"\x1b[0c", "\x1b[?62;6;22c"},
      {"\x1bZ", "\x1b[?62;6;22c"},
      {"\x1b[>c", "\x1b[>41;370;0c"},
      {"\x1b[=c", "\x1bP!|00000000\x1b\\"},
      {"\x1b[>q", "\x1bP>|XTerm(370)\x1b\\"},
      {"\x1b[5n", "\x1b[0n"},
      {"\x1b[6n", "\x1b[1;1R"},
      {"ab\r\ncde\x1b[6n", "\x1b[2;4R"},
      {"\x1b[5;9H\x1b[?6n", "\x1b[?5;9;1R"},
      {"\x1b[?15n", "\x1b[?13n"},  // no printer
      {"\x1b[?55n", "\x1b[?53n"},  // no locator
      {"\x1b[3;9r\x1b[?6h\x1b[2;2H\x1b[6n", "\x1b[2;2R"},
      {"\x1b[18t", "\x1b[8;24;80t"},
      {"\x1b[19t", "\x1b[9;24;80t"},
      {"\x1b[14t", "\x1b[4;384;640t"},
      {"\x1b[16t", "\x1b[6;16;8t"},
      {"\x1b]10;?\a", "\x1b]10;rgb:e5e5/e5e5/e5e5\a"},
      {"\x1b]11;?\x1b\\", "\x1b]11;rgb:0000/0000/0000\x1b\\"},
      {"\x1b]10;?;?\a", "\x1b]10;rgb:e5e5/e5e5/e5e5\a\x1b]11;rgb:0000/0000/0000\a"},
      {"\x1b]12;?\a", "\x1b]12;rgb:e5e5/e5e5/e5e5\a"},
      {"\x1b]4;1;?;15;?\a", "\x1b]4;1;rgb:cdcd/0000/0000\a\x1b]4;15;rgb:ffff/ffff/ffff\a"},
      {"\x1b]4;196;?\a", "\x1b]4;196;rgb:ffff/0000/0000\a"},
      {"\x1b[?2004$p", "\x1b[?2004;2$y"},
      {"\x1b[?2004h\x1b[?2004$p", "\x1b[?2004;1$y"},
      {"\x1b[?7$p\x1b[?25$p\x1b[?1049$p\x1b[?3141$p",
       "\x1b[?7;1$y\x1b[?25;1$y\x1b[?1049;2$y\x1b[?3141;0$y"},
      {"\x1b[4h\x1b[4$p\x1b[20$p", "\x1b[4;1$y\x1b[20;2$y"},
      {"\x1b[1;31m\x1bP$qm\x1b\\", "\x1bP1$r0;1;38;5;1m\x1b\\"},
      {"\x1bP$qr\x1b\\", "\x1bP1$r1;24r\x1b\\"},
      {"\x1b[4 q\x1bP$q q\x1b\\", "\x1bP1$r4 q\x1b\\"},
      {"\x1bP$qz\x1b\\", "\x1bP0$r\x1b\\"},
      {"\x1bP+q544e\x1b\\", "\x1bP1+r544e=787465726D2D323536636F6C6F72\x1b\\"},
      {"\x1bP+q6b63\x1b\\", "\x1bP0+r\x1b\\"},
      {"\x1b[x", "\x1b[2;1;1;128;128;1;0x"},
  };
  for (const auto& [question, expected] : asked) EXPECT_EQ(answer(question), expected) << question;
}

TEST(TerminalAnswersTest, OtherSequencesAndDangerousQueriesAreNotAnswered) {
  for (const char* printed :
       {"\x1b[21t", "\x1b]52;c;?\a", "\x1b]0;title\a", "\x1b]11;#123456\a", "\x1b[31m", "\x1b[2J",
        "\x1b[8;24;80t", "\x1b[?25h", "\x1bPq#0;2;0;0;0\x1b\\", "\x1b[6\x18n", "6n", "\x1b[?u"})
    EXPECT_EQ(answer(printed), "") << printed;
}

TEST(TerminalAnswersTest, SplittingTheStreamDoesNotChangeTheAnswers) {
  const std::string stream =
      "a\x1b[6n\x1b]11;?\x1b\\b\x1b]0;t\x1b[6n\x1b\\\x1bP$qr\x1b\\\x1b\x1b[5nc\x1b]4;1;?\ad\x1b[c";
  const std::string whole = answer(stream);
  Screen uncut({24, 80});
  uncut.feed(stream);
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    Screen screen({24, 80});
    screen.feed(std::string_view(stream).substr(0, cut));
    auto loaded = Screen::load(screen.save());
    ASSERT_TRUE(loaded.ok());
    for (Screen* one : {&screen, &*loaded}) {
      one->feed(std::string_view(stream).substr(cut));
      EXPECT_EQ(answers(*one), whole) << cut;
      EXPECT_EQ(one->text(), uncut.text()) << cut;
    }
  }
}

TEST(TerminalAnswersTest, AnswersAreKeptUntilTypedAndSurviveSaving) {
  Screen screen({24, 80});
  screen.feed("\x1b[5n");
  auto loaded = Screen::load(screen.save());
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(loaded->answers(), (std::vector<std::string>{"\x1b[0n"}));
  loaded->note_answers_typed();
  EXPECT_TRUE(loaded->answers().empty());
  auto again = Screen::load(loaded->save());
  ASSERT_TRUE(again.ok());
  EXPECT_TRUE(again->answers().empty());
  EXPECT_EQ(again->typed_answers(), (std::vector<std::string>{"\x1b[0n"}));
  again->forget_answers();
  EXPECT_TRUE(again->typed_answers().empty());
}

TEST(TerminalAnswersTest, NumberOfKeptAnswersIsLimited) {
  Screen screen({24, 80});
  for (int i = 0; i < 10'000; ++i) screen.feed("\x1b[c");
  EXPECT_LE(screen.answers().size(), 64U);
}

TEST(TerminalAnswersTest, UnreadAnswersAreRemovedFromTypedBytes) {
  const std::vector<std::string> answers = {"\x1b[1;1R", "\x1b[0n", "\x1b[1;1R"};
  std::vector<std::size_t> ends;
  EXPECT_EQ(without_answers("ls\x1b[1;1R\x1b[0n -l\x1b[1;1R\n", ends, answers), "ls -l\n");
  EXPECT_EQ(without_answers(";1R\x1b[0nls", ends, answers), "ls");
  EXPECT_EQ(without_answers("ls", ends, answers), "ls");
  EXPECT_EQ(without_answers("", ends, answers), "");
  EXPECT_TRUE(ends.empty());
}

TEST(TerminalAnswersTest, RemovingAnAnswerKeepsATypedEndOfFile) {
  using Ends = std::vector<std::size_t>;
  struct Row {
    std::string queue;
    Ends ends;
    std::string left;
    Ends ends_left;
  };
  const std::vector<std::string> answers = {"\x1b[1;1R", "\x1b[0n"};  // 6 and 4 bytes
  const Row rows[] = {
      {"\x1b[0n", {4}, "", {}},              // the kernel's end of line after an answer
      {"\x1b[0n", {4, 4}, "", {0}},          // and a typed end of file
      {"\x1b[0nls\n", {4, 7}, "ls\n", {3}},  // typed after a line
      {"\x1b[1;1R\x1b[0nls\n", {10, 13}, "ls\n", {3}},
      {";1R\x1b[0ncat\n", {7, 11, 11}, "cat\n", {4, 4}},  // partly read answer
      {"\x1b[0nls", {6}, "ls", {2}},
      {"a\n\x1b[0nb\n", {6, 8}, "a\nb\n", {4}},
      {"a\n\x1b[0n", {0, 6, 6}, "a\n", {0, 2}},
      {"\x1b[0nls\n", {2, 7}, "ls\n", {3}},  // the kernel ended the line inside the answer
      {"ls\n", {3}, "ls\n", {3}},            // no answer in the queue
  };
  for (const Row& row : rows) {
    Ends ends = row.ends;
    EXPECT_EQ(without_answers(row.queue, ends, answers), row.left) << row.queue;
    EXPECT_EQ(ends, row.ends_left) << row.queue;
  }
}

TEST(TerminalAnswersTest, AnswerHasTheColourThatAProgramHasSet) {
  const std::pair<const char*, const char*> asked[] = {
      {"\x1b]11;#123456\a\x1b]11;?\a", "\x1b]11;rgb:1212/3434/5656\a"},
      {"\x1b]10;rgb:f/80/123\x1b\\\x1b]10;?\a", "\x1b]10;rgb:ffff/8080/1212\a"},
      {"\x1b]10;#fff;#000000\a\x1b]10;?;?\a",
       "\x1b]10;rgb:f0f0/f0f0/f0f0\a\x1b]11;rgb:0000/0000/0000\a"},
      {"\x1b]4;1;rgb:00/ff/00;200;#aaaabbbbcccc\a\x1b]4;1;?;200;?\a",
       "\x1b]4;1;rgb:0000/ffff/0000\a\x1b]4;200;rgb:aaaa/bbbb/cccc\a"},
      {"\x1b]4;1;#010203;1;?\a", "\x1b]4;1;rgb:0101/0202/0303\a"},
      {"\x1b]11;#123456\a\x1b]111\a\x1b]11;?\a", "\x1b]11;rgb:0000/0000/0000\a"},
      {"\x1b]4;1;#010203;2;#010203\a\x1b]104;1\a\x1b]4;1;?;2;?\a",
       "\x1b]4;1;rgb:cdcd/0000/0000\a\x1b]4;2;rgb:0101/0202/0303\a"},
      {"\x1b]4;2;#010203\a\x1b]104\a\x1b]4;2;?\a", "\x1b]4;2;rgb:0000/cdcd/0000\a"},
      {"\x1b]4;2;#010203\a\x1b]10;#010203\a\x1b[!p\x1b]4;2;?\a\x1b]10;?\a",
       "\x1b]4;2;rgb:0000/cdcd/0000\a\x1b]10;rgb:0101/0202/0303\a"},
      {"\x1b]11;#12345\a\x1b]11;rgb:1/2\a\x1b]11;rgb:1/2/g\a\x1b]11;\a\x1b]11;?\a",
       "\x1b]11;rgb:0000/0000/0000\a"},
      {"\x1b]4;256;#010203\a\x1b]4;-1;#010203\a\x1b]4;0;?\a", "\x1b]4;0;rgb:0000/0000/0000\a"},
  };
  for (const auto& [question, expected] : asked) EXPECT_EQ(answer(question), expected) << question;
}

TEST(TerminalAnswersTest, ColoursSurviveSavingResizingAndMuchOutput) {
  Screen screen({24, 80});
  screen.feed("\x1b]4;7;#102030\a\x1b]11;#405060\a");
  for (int i = 0; i < 100'000; ++i) screen.feed("a line of output that scrolls away\r\n");
  screen.resize({30, 100});
  auto loaded = Screen::load(screen.save());
  ASSERT_TRUE(loaded.ok());
  Screen painted({30, 100});
  painted.feed(loaded->repaint());
  for (Screen* one : {&screen, &*loaded, &painted}) {
    one->feed("\x1b]4;7;?\a\x1b]11;?\a");
    EXPECT_EQ(answers(*one), "\x1b]4;7;rgb:1010/2020/3030\a\x1b]11;rgb:4040/5050/6060\a");
  }
}

TEST(QueryFilterTest, OnlyQueriesAreRemoved) {
  const std::string stream =
      "a\x1b[31mb\x1b[6nc\x1b]0;title\a\x1b]11;?\a\x1b]11;#000000\x1b\\d\x1b[?2004h\x1b[>c\x1bPq#1"
      "\x1b\\\x1b[18t\x1b[8;5;5t\x1b(0e\x1bP$qm\x1b\\\x1b]52;c;?\af\x1b";
  const std::string expected =
      "a\x1b[31mbc\x1b]0;title\a\x1b]11;#000000\x1b\\d\x1b[?2004h\x1bPq#1\x1b\\\x1b[8;5;5t\x1b(0ef";
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    QueryFilter filter;
    std::string passed = filter.feed(std::string_view(stream).substr(0, cut));
    passed += filter.feed(std::string_view(stream).substr(cut));
    EXPECT_EQ(passed, expected) << cut;
  }
}

}  // namespace
}  // namespace sf::waypoint
