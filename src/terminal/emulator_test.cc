// The repaint of a snapshot must bring a new emulator into the same state: it shows the same screen
// and reacts in the same way to all later input.
#include "terminal/emulator.h"

#include <gtest/gtest.h>

#include <random>

namespace sf::waypoint {
namespace {

constexpr WindowSize kSize{8, 20};

struct Shown {
  ScreenText text;
  Scrollback scrollback;
  friend bool operator==(const Shown&, const Shown&) = default;
};

std::ostream& operator<<(std::ostream& out, const Shown& shown) {
  for (const ScrolledLine& line : shown.scrollback)
    out << "\n  " << (line.is_continued ? '+' : '^') << testing::PrintToString(line.encoded);
  for (const std::string& row : shown.text.rows) out << "\n  |" << testing::PrintToString(row);
  return out << "\n  cursor " << shown.text.cursor_row << "," << shown.text.cursor_col
             << (shown.text.cursor_visible ? "" : " hidden")
             << (shown.text.alternate_screen ? " alternate" : "") << " title " << shown.text.title;
}

Shown show(Emulator& emulator) { return {emulator.text(), emulator.scrollback()}; }

// Feeds `before` and `after`, once directly and once with a snapshot and repaint in between.
void expect_same_after_repaint(std::string_view before, std::string_view after,
                               WindowSize size = kSize) {
  Emulator straight(size, {});
  straight.feed(before);
  Emulator old(size, {});
  old.feed(before);
  ScreenSnapshot snapshot = std::move(old).take_snapshot();
  const std::string bytes = repaint(snapshot);
  Emulator repainted(size, snapshot.scrollback, snapshot.continued.front());
  repainted.feed(bytes);
  EXPECT_EQ(show(repainted), show(straight)) << "before: " << testing::PrintToString(before);
  straight.feed(after);
  repainted.feed(after);
  EXPECT_EQ(show(repainted), show(straight)) << "before: " << testing::PrintToString(before)
                                             << " after: " << testing::PrintToString(after);
  // The text has no attributes, so compare the repaints, too.
  const std::string one = repaint(std::move(straight).take_snapshot());
  const std::string two = repaint(std::move(repainted).take_snapshot());
  EXPECT_EQ(testing::PrintToString(one), testing::PrintToString(two));
}

TEST(RepaintTest, TextAndScrollbackAreRestored) {
  expect_same_after_repaint("", "x");
  expect_same_after_repaint("one\r\ntwo\r\nthree", "more\r\n");
  std::string lines;
  for (int i = 0; i < 50; ++i) lines += "line " + std::to_string(i) + "\r\n";
  expect_same_after_repaint(lines, lines);
}

TEST(RepaintTest, AttributesAndColoursAreRestored) {
  expect_same_after_repaint(
      "\x1b[1;3;4;5;7;9;31;44mall\x1b[0m \x1b[38;5;200;48;2;1;2;3mrgb\x1b[21;53m \x1b[4:3mcurly",
      "on");
  expect_same_after_repaint("\x1b[41m\x1b[2J\x1b[5;5Hred screen\x1b[K", "\x1b[Jx");
  expect_same_after_repaint("\x1b[?5h\x1b[7mreverse of the reverse", "x\x1b[?5l");
  expect_same_after_repaint("\x1b[32mcoloured line\r\n\x1b[0m\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n",
                            "x");
}

TEST(RepaintTest, WideAndCombinedCharactersAreRestored) {
  expect_same_after_repaint("世界 e\xcc\x81 😀x", "中");
  expect_same_after_repaint("\x1b[1;19H世", "x");
  expect_same_after_repaint("\x1b[1;20H世", "x");
  expect_same_after_repaint("世界\x1b[1;2Hx", "y");
  expect_same_after_repaint("世界\x1b[1;3Hx", "y");
  expect_same_after_repaint("\x1b[3;3H\xcc\x81", "y");
}

TEST(RepaintTest, PendingWrapIsRestored) {
  expect_same_after_repaint(std::string(20, 'x'), "y");
  expect_same_after_repaint(std::string(20, 'x') + "\x1b[31m", "y");
  expect_same_after_repaint(std::string(20, 'x') + "\r\x1b[19C", "y");
  expect_same_after_repaint("\x1b[8;1H" + std::string(20, 'x'), "y");
  expect_same_after_repaint("\x1b[8;19H世", "界");
  expect_same_after_repaint("\x1b[?7l" + std::string(30, 'x'), "y");
}

TEST(RepaintTest, BothScreensAreRestoredIfTheAlternateIsShown) {
  expect_same_after_repaint("shell$ vim\r\n\x1b[?1049h\x1b[2J\x1b[H~\r\n~\r\n-- INSERT --",
                            "x\x1b[?1049lback");
  expect_same_after_repaint("primary\x1b[?47halternate", "\x1b[?47l.");
}

TEST(RepaintTest, ModesAreRestored) {
  expect_same_after_repaint("abcdef\x1b[H\x1b[4h", "XY");               // insert
  expect_same_after_repaint("\x1b[20h", "a\nb");                        // newline
  expect_same_after_repaint("\x1b[2;4r\x1b[4;1H", "a\r\nb\r\nc\r\nd");  // margins
  expect_same_after_repaint("\x1b[2;4r\x1b[?6h\x1b[2;3H", "a\x1b[Hb");  // origin
  expect_same_after_repaint("\x1b[?69h\x1b[3;6s\x1b[2;4H",
                            "a\r\nb\x1b[S");    // left and right margins
  expect_same_after_repaint("\x1b(0", "lqqk");  // line drawing
  expect_same_after_repaint("\x1b)0\x0e", "lqqk\x0fx");
  expect_same_after_repaint(std::string(20, 'q') + "\x1b(0", "q");
  expect_same_after_repaint("\x1b[?25l", "\x1b[?25h");
  expect_same_after_repaint("\x1b[3g\x1b[1;5H\x1bH\x1b[1;12H\x1bH\r", "a\tb\tc\td");  // tab stops
  expect_same_after_repaint(
      "\x1b[5;6H\x1b[31m\x1b"
      "7\x1b[H\x1b[0m",
      "a\x1b"
      "8b");  // saved cursor
  expect_same_after_repaint("\x1b[?1h\x1b=\x1b[?2004h\x1b[?1002h\x1b[?1006h\x1b[5 q", "x");
  expect_same_after_repaint("\x1b]2;the title\x1b\\", "\x1b]0;another\a");
}

TEST(RepaintTest, UnfinishedSequenceContinues) {
  expect_same_after_repaint("abc\x1b", "[31mred");
  expect_same_after_repaint("abc\x1b[2;", "3Hx");
  expect_same_after_repaint("abc\x1b]0;ti", "tle\a.");
  expect_same_after_repaint("abc\x1b]0;title\x1b", "\\.");
  expect_same_after_repaint("abc\x1bP" + std::string(10000, 'q'), "qqq\x1b\\.");
  expect_same_after_repaint("abc\xe4\xb8", "\xad.");
}

TEST(EmulatorTest, ResetsWorkInTheAlternateScreen) {
  Emulator emulator(kSize, {});
  emulator.feed("primary\x1b[?1049halternate\x1b[!p");
  EXPECT_TRUE(emulator.text().alternate_screen);
  emulator.feed(
      "\x1b"
      "c");
  EXPECT_FALSE(emulator.text().alternate_screen);
  EXPECT_EQ(emulator.text().rows[0], "");
}

TEST(EmulatorTest, RepRepeatsOnlyTheCharacterBeforeIt) {
  Emulator emulator(kSize, {});
  emulator.feed("a\x1b[3b\x1b[3b\r\nb\x1b[5C\x1b[3b\r\nc\r\x1b[3b");
  EXPECT_EQ(emulator.text().rows[0], "aaaa");
  EXPECT_EQ(emulator.text().rows[1], "b");
  EXPECT_EQ(emulator.text().rows[2], "c");
}

TEST(EmulatorTest, SequencesThatBreakLibvtermAreHarmless) {
  Emulator emulator(kSize, {});
  emulator.feed("\x1b[5b");                 // nothing to repeat
  emulator.feed("\xcc\x81\x1b[5b");         // only a mark without width
  emulator.feed("\x1b[1;19H世\x1b[9999b");  // past the edge
  for (int i = 0; i < 100; ++i)
    emulator.feed("\r\xc2\x80\xc2\x9b\x1b[@\x1b[P");  // once left of column 0
  std::string many = "\x1b[";
  for (int i = 0; i < 100; ++i) many += "38;";
  emulator.feed(many + "m" + many + "H" + many + "h");
  emulator.feed(
      "\x1b[99999999999999999999;99999999999999999999H\x1b[2147483648C\x1b[4294967295@\x1b["
      "2147483647S");
  emulator.feed("\x1b_application\x1b\\\x1b^privacy\x1b\\\x1bXstart\x1b\\");
  emulator.feed("\x1b[H\x1b[2Jok");
  EXPECT_EQ(emulator.text().rows[0], "ok");
}

TEST(EmulatorTest, RepeatRepeatsTheLastCharacter) {
  Emulator emulator(kSize, {});
  emulator.feed("-\x1b[4b世\x1b[2b");
  EXPECT_EQ(emulator.text().rows[0], "-----世世世");
}

TEST(EmulatorTest, CharacterSetsAreTranslated) {
  Emulator emulator(kSize, {});
  emulator.feed("\x1b(0lqk\x1b(B lqk\r\n\x1b)A\x0e#\x0f#\r\n\x1b(0~_\x1b[2b");
  EXPECT_EQ(emulator.text().rows[0], "┌─┐ lqk");
  EXPECT_EQ(emulator.text().rows[1], "£#");
  EXPECT_EQ(emulator.text().rows[2], "·___");
}

TEST(EmulatorTest, MarksJoinTheirCharacterEvenInTheLastColumn) {
  Emulator emulator(kSize, {});
  emulator.feed("\x1b(B");
  for (const std::string_view bytes : {"\x1b[20G", "e", "\xcc\x81", "\xcc\x88", "x"}) {
    emulator.feed(bytes);
    emulator.text();
  }
  EXPECT_EQ(emulator.text().rows[0], std::string(19, ' ') + "e\xcc\x81\xcc\x88");
  EXPECT_EQ(emulator.text().rows[1], "x");
}

TEST(EmulatorTest, ProgramCanClearTheScrollback) {
  Emulator emulator(kSize, {});
  emulator.feed("1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7\r\n8\r\n9\r\n");
  EXPECT_EQ(emulator.scrollback().size(), 2U);
  emulator.feed("\x1b[H\x1b[2J\x1b[3J");
  EXPECT_EQ(emulator.scrollback().size(), 0U);
}

enum class Origin { kAllowed, kAvoided };

std::string random_sequence(std::mt19937& random, Origin origin = Origin::kAllowed) {
  const auto number = [&] { return std::to_string(random() % (random() % 8 == 0 ? 100000 : 25)); };
  static const std::string kText[] = {"a",  "hello ",   "世界", "e\xcc\x81", "😀", "\xe2\x80\x8b",
                                      "─┐", "\xcc\x81", "ﾊ"};
  static const std::string kModes[] = {"?6",    "?69",   "?1",    "?5",    "?7", "?25", "?47",
                                       "?1047", "?1048", "?1049", "?2004", "4",  "20"};
  switch (random() % 10) {
    case 0:
    case 1:
    case 2:
      return kText[random() % std::size(kText)];
    case 3:
      return std::string("\r\n\b\t\n\x0e\x0f").substr(random() % 7, 1);
    case 4: {
      const std::size_t first = origin == Origin::kAllowed ? 0 : 2;
      return "\x1b[" + kModes[first + random() % (std::size(kModes) - first)] +
             (random() % 2 ? "h" : "l");
    }
    case 5:
      return std::string("\x1b") + "78DEMHc=>no#("[random() % 13] + "34568B0"[random() % 7];
    case 6:
      return "\x1b[" + number() + ";" + number() + "Hfrsm"[random() % 5];
    case 7:
      return "\x1b[" + std::to_string(random() % 110) + "m";
    case 8: {
      std::string sequence = "\x1b[" + number();
      const std::string finals = "@ABCDEFGHIJKLMPSTXZ`abdefg";
      return sequence + finals[random() % finals.size()];
    }
    default:
      return std::string(1, static_cast<char>(random() & 0xff));
  }
}

TEST(EmulatorTest, SplittingTheStreamDoesNotChangeTheScreen) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    std::string stream;
    for (int i = 0; i < 300; ++i) stream += random_sequence(random);
    Emulator whole(kSize, {});
    whole.feed(stream);
    Emulator pieces(kSize, {});
    for (std::string_view rest = stream; !rest.empty();) {
      const std::size_t size = std::min<std::size_t>(rest.size(), random() % 9 + 1);
      pieces.feed(rest.substr(0, size));
      rest.remove_prefix(size);
    }
    ASSERT_EQ(show(pieces), show(whole)) << "seed " << seed;
  }
}

WindowSize random_size(std::mt19937& random) {
  return {static_cast<std::uint16_t>(random() % 10 + 1),
          static_cast<std::uint16_t>(random() % 30 + 2)};
}

TEST(EmulatorTest, RandomStreamsLeaveAValidScreenAtAnySize) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    std::mt19937 random(seed);
    const WindowSize size = random_size(random);
    Emulator emulator(size, {});
    for (int i = 0; i < 500; ++i) emulator.feed(random_sequence(random));
    const ScreenText text = emulator.text();
    ASSERT_EQ(text.rows.size(), size.rows);
    ASSERT_TRUE(text.cursor_row >= 0 && text.cursor_row < size.rows) << "seed " << seed;
    ASSERT_TRUE(text.cursor_col >= 0 && text.cursor_col < size.cols) << "seed " << seed;
    ASSERT_FALSE(repaint(std::move(emulator).take_snapshot()).empty());
  }
}

// The streams have no origin mode, because a repaint cannot restore a cursor outside the margins in
// that mode (docs/formats/screen.md).
TEST(RepaintTest, RandomScreensAreRestoredAtAnySize) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    std::mt19937 random(seed);
    const WindowSize size = random_size(random);
    Emulator emulator(size, {});
    for (int i = 0; i < 500; ++i) emulator.feed(random_sequence(random, Origin::kAvoided));
    const Shown shown = show(emulator);
    const ScreenSnapshot snapshot = std::move(emulator).take_snapshot();
    const std::string bytes = repaint(snapshot);
    Emulator repainted(size, snapshot.scrollback, snapshot.continued.front());
    repainted.feed(bytes);
    ASSERT_EQ(show(repainted), shown) << "seed " << seed << "\n" << testing::PrintToString(bytes);
  }
}

ScreenText text_after(std::string_view bytes) {
  Emulator emulator(kSize, {});
  emulator.feed(bytes);
  return emulator.text();
}

TEST(EmulatorTest, InvalidMarginsAreIgnored) {
  const ScreenText text = text_after("abc\x1b[4;4rx\x1b[6;2ry\x1b[9;20rz");
  EXPECT_EQ(text.rows[0], "abcxyz");
  EXPECT_EQ(text.cursor_col, 6);
  EXPECT_EQ(text_after("abc\x1b[2;99rx").rows[0], "xbc") << "the last one is cut to the screen";
}

TEST(EmulatorTest, SavedCursorIncludesOriginModeAndCharacterSets) {
  const ScreenText origin =
      text_after("\x1b[3;6r\x1b[?6h\x1b\x37\x1b[?6l\x1b[8;1H\x1b\x38\x1b[1;1HA");
  EXPECT_EQ(origin.rows[2], "A");
  const ScreenText none = text_after("\x1b\x37\x1b[3;6r\x1b[?6h\x1b\x38\x1b[1;1HA");
  EXPECT_EQ(none.rows[0], "A");
  EXPECT_EQ(text_after("\x1b(0\x1b\x37\x1b(Bq\x1b\x38q").rows[0], "\u2500");
  EXPECT_EQ(text_after("\x1b(0\x1b[?1049h\x1b(B\x1b[?1049lq").rows[0], "\u2500");
  expect_same_after_repaint("\x1b[3;6r\x1b[?6h\x1b)0\x0e\x1b\x37\x0f\x1b)B\x1b[?6l\x1b[8;1Hq",
                            "\x1b\x38q\x1b[1;5Hq");
}

TEST(EmulatorTest, EachScreenHasItsOwnSavedCursor) {
  constexpr std::string_view kInside = "\x1b[3;4Hhere\x1b[?1049h\x1b[2;2H\x1b\x37there";
  EXPECT_EQ(text_after(std::string(kInside) + "\x1b[?1049lagain").rows[2], "   hereagain");
  expect_same_after_repaint(kInside, "\x1b\x38x\x1b[?1049lagain");
  expect_same_after_repaint("\x1b[3;4H\x1b\x37\x1b[?1047h\x1b[5;5H",
                            "\x1b\x38x\x1b[?1047l\x1b\x38y");
}

TEST(EmulatorTest, WideCharacterIsInsertedWithBothColumns) {
  EXPECT_EQ(text_after("abcdef\x1b[3G\x1b[4h\u65e5\u672c").rows[0], "ab\u65e5\u672ccdef");
}

TEST(RepaintTest, MarksAndRepeatsWorkAfterARepaint) {
  expect_same_after_repaint("ae", "\u0301b");
  expect_same_after_repaint("\x1b[1;20He", "\u0301b");
  expect_same_after_repaint("\x1b[31mab", "\x1b[3b");
  expect_same_after_repaint("\u65e5", "\u0301\x1b[2b");
  expect_same_after_repaint("\x1b(0aq", "\x1b[3bq");
}

}  // namespace
}  // namespace sf::waypoint
