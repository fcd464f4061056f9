// Tests the screen after its window was resized. The expected results are those of tmux 3.3a,
// except in RowsPaintedByMotionAreNotJoined.
#include <gtest/gtest.h>

#include "terminal/screen.h"

namespace sf::waypoint {
namespace {

// The rows without trailing blank rows, then "@row,col" of the cursor.
std::string shown(Screen& screen) {
  const ScreenText text = screen.text();
  std::string all;
  std::size_t last = text.rows.size();
  while (last > 0 && text.rows[last - 1].empty()) --last;
  for (std::size_t i = 0; i < last; ++i) all += text.rows[i] + "|";
  return all + "@" + std::to_string(text.cursor_row) + "," + std::to_string(text.cursor_col);
}

std::string scrolled(Screen& screen) {
  std::string all;
  for (const std::string& line : screen.scrollback(100)) all += line + "|";
  return all;
}

// A saved and loaded screen must behave like the live one.
Screen reloaded(Screen& screen) {
  auto loaded = Screen::load(screen.save());
  EXPECT_TRUE(loaded.ok());
  return std::move(*loaded);
}

TEST(ReflowTest, WrappedLineIsJoinedAndWrappedAgain) {
  Screen screen({4, 10});
  screen.feed("abcdefghijklmno\r\nxyz");
  EXPECT_EQ(shown(screen), "abcdefghij|klmno|xyz|@2,3");
  Screen twin = reloaded(screen);
  for (Screen* one : {&screen, &twin}) {
    one->resize({4, 20});
    EXPECT_EQ(shown(*one), "abcdefghijklmno|xyz|@1,3");
    one->resize({4, 5});
    EXPECT_EQ(scrolled(*one) + " " + shown(*one), "abcde|fghij| klmno|xyz|@1,3");
    one->resize({4, 10});
    EXPECT_EQ(scrolled(*one) + " " + shown(*one), "abcdefghij| klmno|xyz|@1,3");
  }
}

TEST(ReflowTest, ReflowThroughTheScrollbackLosesNoText) {
  Screen screen({3, 10});
  screen.feed("abcdefghijklmnopqrstuvwxyz0123456789\r\nend");
  EXPECT_EQ(scrolled(screen) + shown(screen), "abcdefghij|klmnopqrst|uvwxyz0123|456789|end|@2,3");
  Screen twin = reloaded(screen);
  for (Screen* one : {&screen, &twin}) {
    one->resize({3, 4});
    EXPECT_EQ(scrolled(*one), "abcd|efgh|ijkl|mnop|qrst|uvwx|yz01|");
    EXPECT_EQ(shown(*one), "2345|6789|end|@2,3");
    Screen third = reloaded(*one);
    for (Screen* last : {one, &third}) {
      last->resize({3, 40});
      EXPECT_EQ(scrolled(*last) + shown(*last), "abcdefghijklmnopqrstuvwxyz0123456789|end|@1,3");
    }
  }
}

TEST(ReflowTest, EndedLinesAreNotJoined) {
  Screen screen({4, 5});
  screen.feed("abcde\r\nfghij\r\nk");
  screen.resize({4, 20});
  EXPECT_EQ(shown(screen), "abcde|fghij|k|@2,1");
}

TEST(ReflowTest, RowsPaintedByMotionAreNotJoined) {
  Screen screen({3, 5});
  screen.feed("abcdefgh");            // a wrapped line,
  screen.feed("\x1b[Hvwxyz\r\nnew");  // painted over
  screen.resize({3, 20});
  EXPECT_EQ(shown(screen), "vwxyz|new|@1,3");
}

TEST(ReflowTest, ErasedEndEndsTheLine) {
  Screen screen({3, 5});
  screen.feed("abcdefgh\x1b[1;3H\x1b[K");
  screen.resize({3, 20});
  EXPECT_EQ(shown(screen), "ab|fgh|@0,2");
}

TEST(ReflowTest, WideCharactersAndMarksStayWhole) {
  Screen screen({4, 5});
  screen.feed("日本語e\xcc\x81x");
  EXPECT_EQ(shown(screen), "日本|語e\xcc\x81x|@1,4");
  screen.resize({4, 20});
  EXPECT_EQ(shown(screen), "日本語e\xcc\x81x|@0,8");
  screen.resize({4, 3});
  EXPECT_EQ(scrolled(screen) + " " + shown(screen), "日|本|語e\xcc\x81| x|@0,1");
}

TEST(ReflowTest, SpacesBeforeWideCharactersAreNeitherLostNorAdded) {
  for (const std::string text :
       {"nt:/# echo 日本語", "aaaaaaaaa 日本", "日本語日本 日本", "  日 本  語"}) {
    for (const WindowSize size :
         {WindowSize{10, 5}, {10, 6}, {10, 7}, {10, 9}, {10, 11}, {10, 12}}) {
      Screen screen({10, 40});
      screen.feed(text);
      screen.resize(size);
      auto loaded = Screen::load(screen.save());
      ASSERT_TRUE(loaded.ok());
      for (Screen* each : {&screen, &*loaded}) {
        each->resize({10, 80});
        EXPECT_EQ(shown(*each).substr(0, text.size() + 1), text + "|") << size.cols << " columns";
      }
    }
  }
}

TEST(ReflowTest, ColoursStayWithTheirCharacters) {
  Screen screen({2, 4});
  screen.feed("\x1b[31mabcd\x1b[1;4;38;2;1;2;3mefgh\x1b[0m\r\nx\r\ny");
  screen.resize({4, 8});
  screen.resize({4, 3});
  EXPECT_EQ(scrolled(screen) + shown(screen), "abc|def|gh|x|y|@2,1");
  screen.resize({4, 8});
  EXPECT_EQ(scrolled(screen) + shown(screen), "abcdefgh|x|y|@2,1");
  EXPECT_NE(screen.repaint().find("\x1b[0m\x1b[38;5;1mabcd"), std::string::npos);
  EXPECT_NE(screen.repaint().find("\x1b[0;1;4m\x1b[38;2;1;2;3mefgh"), std::string::npos);
}

TEST(ReflowTest, LinesMoveBetweenScreenAndScrollbackWhenTheHeightChanges) {
  Screen screen({3, 10});
  screen.feed("1\r\n2\r\n3\r\n4\r\n5");
  EXPECT_EQ(scrolled(screen), "1|2|");
  screen.resize({4, 10});
  EXPECT_EQ(scrolled(screen) + " " + shown(screen), "1| 2|3|4|5|@3,1");
  screen.resize({2, 10});
  EXPECT_EQ(scrolled(screen) + " " + shown(screen), "1|2|3| 4|5|@1,1");
  screen.resize({10, 10});
  EXPECT_EQ(scrolled(screen) + " " + shown(screen), " 1|2|3|4|5|@4,1");
  screen.resize({6, 10});  // blank rows go first
  EXPECT_EQ(scrolled(screen) + " " + shown(screen), " 1|2|3|4|5|@4,1");
}

TEST(ReflowTest, PendingWrapFollowsItsCharacter) {
  Screen screen({3, 5});
  screen.feed("abcde");
  screen.resize({3, 10});
  screen.feed("f");
  EXPECT_EQ(shown(screen), "abcdef|@0,6");
  screen.resize({3, 6});
  screen.feed("g");
  EXPECT_EQ(shown(screen), "abcdef|g|@1,1");
}

TEST(ReflowTest, AlternateScreenIsCutAndPrimaryScreenReflows) {
  Screen screen({3, 5});
  screen.feed("abcdefgh\x1b[?1049h\x1b[Hfull screen");
  screen.resize({3, 20});
  screen.feed("\x1b[?1049l");
  EXPECT_EQ(shown(screen), "abcdefgh|@0,8");
}

TEST(ReflowTest, AlignmentPatternHomesTheCursor) {
  Screen screen({2, 3});
  screen.feed("\x1b[2;2H\x1b#8x");
  EXPECT_EQ(shown(screen), "xEE|EEE|@0,1");
}

TEST(ReflowTest, ScreenOfFormatVersionOneIsLoaded) {
  const std::string log = "hello";
  std::string saved("SFSCREEN\1\0\0\0\2\0\5\0\1\0\0\0\3\0\0\0old", 27);
  saved += std::string("\0\0\0\0\0\0\0\0\5\0\0\0\0\0\0\0", 16) + log;
  auto loaded = Screen::load(saved);
  ASSERT_TRUE(loaded.ok()) << loaded.error().describe();
  EXPECT_EQ(scrolled(*loaded) + " " + shown(*loaded), "old| hello|@0,4");
}

}  // namespace
}  // namespace sf::waypoint
