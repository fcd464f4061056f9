#include "terminal/screen.h"

#include <gtest/gtest.h>

#include <random>
#include <type_traits>

namespace sf::waypoint {
namespace {

static_assert(!std::is_copy_constructible_v<Screen> &&
              std::is_nothrow_move_constructible_v<Screen>);

constexpr WindowSize kSize{6, 20};

std::vector<std::string> rows_of(Screen& screen) {
  std::vector<std::string> rows = screen.text().rows;
  while (!rows.empty() && rows.back().empty()) rows.pop_back();
  return rows;
}

using Lines = std::vector<std::string>;

void expect_same(Screen& a, Screen& b) {
  const ScreenText one = a.text();
  const ScreenText two = b.text();
  EXPECT_EQ(one.rows, two.rows);
  EXPECT_EQ(one.cursor_row, two.cursor_row);
  EXPECT_EQ(one.cursor_col, two.cursor_col);
  EXPECT_EQ(one.cursor_visible, two.cursor_visible);
  EXPECT_EQ(one.alternate_screen, two.alternate_screen);
  EXPECT_EQ(one.title, two.title);
  EXPECT_EQ(one.size, two.size);
  EXPECT_EQ(a.scrollback(SIZE_MAX), b.scrollback(SIZE_MAX));
}

// A saved and loaded screen must show the same as the original, before and after both are fed
// `after`. This must also hold if the saved screen had been read before, or had itself been loaded.
void expect_survives_saving(std::string_view before, std::string_view after,
                            WindowSize size = kSize) {
  Screen unseen(size);
  unseen.feed(before);
  Result<Screen> loaded = Screen::load(unseen.save());
  ASSERT_TRUE(loaded) << loaded.error().describe();
  Screen seen(size);
  for (std::string_view rest = before; !rest.empty();
       rest.remove_prefix(std::min<std::size_t>(rest.size(), 1777))) {
    seen.feed(rest.substr(0, 1777));
    if (before.size() < 20000) seen.text();
  }
  seen.text();
  Result<Screen> twice = Screen::load(Screen::load(seen.save()).value().save());
  ASSERT_TRUE(twice) << twice.error().describe();
  expect_same(unseen, *loaded);
  expect_same(seen, *twice);
  for (Screen* screen : {&unseen, &*loaded, &seen, &*twice}) screen->feed(after);
  expect_same(unseen, *loaded);
  expect_same(seen, *twice);
}

TEST(ScreenTest, NewScreenIsBlank) {
  Screen screen(kSize);
  const ScreenText text = screen.text();
  EXPECT_EQ(text.rows, Lines(6));
  EXPECT_EQ(text.cursor_row, 0);
  EXPECT_EQ(text.cursor_col, 0);
  EXPECT_TRUE(text.cursor_visible);
  EXPECT_FALSE(text.alternate_screen);
  EXPECT_EQ(text.title, "");
  EXPECT_EQ(text.size, kSize);
  EXPECT_EQ(screen.scrollback(10), Lines{});
}

TEST(ScreenTest, TextCursorAndTitleAreReturned) {
  Screen screen(kSize);
  screen.feed("\x1b]0;grüße\a$ ls\r\n\x1b[34mdir\x1b[0m  \x1b[1mfile\x1b[0m   \r\n$ \x1b[?25l");
  EXPECT_EQ(rows_of(screen), (Lines{"$ ls", "dir  file", "$"}));
  const ScreenText text = screen.text();
  EXPECT_EQ(text.cursor_row, 2);
  EXPECT_EQ(text.cursor_col, 2);
  EXPECT_FALSE(text.cursor_visible);
  EXPECT_EQ(text.title, "grüße");
}

TEST(ScreenTest, LongLinesWrapAndOldOnesGoToTheScrollback) {
  Screen screen(kSize);
  screen.feed(std::string(25, 'x') + "\r\n");
  EXPECT_EQ(rows_of(screen), (Lines{std::string(20, 'x'), "xxxxx"}));
  for (int i = 0; i < 8; ++i) screen.feed(std::to_string(i) + "\r\n");
  EXPECT_EQ(screen.scrollback(3), (Lines{"0", "1", "2"}));
  EXPECT_EQ(screen.scrollback(100).front(), std::string(20, 'x'));
  EXPECT_EQ(rows_of(screen), (Lines{"3", "4", "5", "6", "7"}));
}

TEST(ScreenTest, ScrollbackIsBounded) {
  Screen screen(kSize);
  for (int i = 0; i < 5000; ++i) screen.feed(std::to_string(i) + "\r\n");
  const Lines lines = screen.scrollback(SIZE_MAX);
  ASSERT_EQ(lines.size(), Screen::kMaxScrollback);
  EXPECT_EQ(lines.back(), "4994");
  EXPECT_EQ(lines.front(), "2995");
}

TEST(ScreenTest, LeavingTheAlternateScreenShowsThePrimaryScreen) {
  Screen screen(kSize);
  screen.feed("$ vim\r\n\x1b[?1049h\x1b[Hediting");
  EXPECT_TRUE(screen.text().alternate_screen);
  EXPECT_EQ(rows_of(screen), (Lines{"editing"}));
  screen.feed("\x1b[?1049l$ ");
  EXPECT_FALSE(screen.text().alternate_screen);
  EXPECT_EQ(rows_of(screen), (Lines{"$ vim", "$"}));
}

TEST(ScreenTest, PlainLinesSurviveSaving) {
  expect_survives_saving("one\r\ntwo\r\nthree", "!\r\nfour");
}

TEST(ScreenTest, ColoursSurviveSaving) {
  expect_survives_saving("\x1b[1;31mred\x1b[48;5;20m\x1b[K\r\n\x1b[38;2;1;2;3mrgb", "\x1b[0mplain");
}

TEST(ScreenTest, WideAndCombiningCharactersSurviveSaving) {
  expect_survives_saving("世界, 你好\r\n" + std::string(19, 'x') +
                             "世\r\ne\xcc\x81"
                             "a\xcc\x88",
                         "世");
  expect_survives_saving(std::string(19, 'x') + "e", "\xcc\x81y");
}

TEST(ScreenTest, AlternateScreenSurvivesSaving) {
  expect_survives_saving("$ less\r\n\x1b[?1049h\x1b[H\x1b[2Jpage\r\n:", "\x1b[?1049l$ ");
}

TEST(ScreenTest, WrappedLinesSurviveSaving) {
  expect_survives_saving(std::string(20, 'a'), "b");
  expect_survives_saving(std::string(133, 'a'), "b");
  expect_survives_saving("\x1b[6;1H" + std::string(20, 'a'), "b");
}

TEST(ScreenTest, TruncatedSequencesAtTheEndSurviveSaving) {
  for (const std::string_view sequence :
       {"\x1b[31;1mX", "\x1b]0;title\x1b\\X", "\xe4\xb8\xadX", "\x1b(0qX", "\x1b[3;4HX"}) {
    for (std::size_t cut = 0; cut <= sequence.size(); ++cut) {
      expect_survives_saving("abc" + std::string(sequence.substr(0, cut)), sequence.substr(cut));
    }
  }
}

std::string full_screen_redraws(int count) {
  std::string bytes = "\x1b[?1049h\x1b[?1h\x1b=\x1b[?2004h\x1b[?1006;1002h\x1b[1;5r";
  for (int i = 0; i < count; ++i) {
    bytes += "\x1b[?25l\x1b[H";
    for (int row = 0; row < 5; ++row)
      bytes +=
          "\x1b[38;5;" + std::to_string(row) + "mrow " + std::to_string(i) + "\x1b[0m\x1b[K\r\n";
    bytes +=
        "\x1b[5;1H\x1b[Snew line\x1b[2;3H\x1bM\x1b[6;1H\x1b[7m[0] "
        "bash\x1b[K\x1b[0m\x1b[2;5H\x1b[?25h";
  }
  return bytes;
}

TEST(ScreenTest, FullScreenProgramsSurviveSaving) {
  expect_survives_saving("$ tmux\r\n" + full_screen_redraws(3),
                         "typed\x1b[?1049l\x1b[?1l\x1b>done");
}

TEST(ScreenTest, LongStreamsSurviveSaving) {
  std::string lines;
  for (int i = 0; lines.size() < 3 * Screen::kMaxPending; ++i)
    lines += "\x1b[3" + std::to_string(i % 8) + "mline " + std::to_string(i) + "\r\n";
  expect_survives_saving(lines, "more\r\nand more\r\n");
  expect_survives_saving("primary\r\n" + full_screen_redraws(8000), "x\x1b[?1049l$ ");
  expect_survives_saving("abc\x1bP" + std::string(700000, 'q'), "qq\x1b\\def");
}

TEST(ScreenTest, RandomBytesSurviveSaving) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    std::string bytes;
    for (std::size_t n = random() % 4000; n > 0; --n) {
      bytes += random() % 8 == 0 ? "\x1b[" : std::string(1, static_cast<char>(random() & 0xff));
    }
    expect_survives_saving(bytes, "\x18 after");
  }
}

TEST(ScreenTest, CompactingDoesNotChangeTheScreen) {
  // The filler pushes the log over its limit without a visible effect. The reference screen does
  // not get it.
  const std::string filler = "\x1b[0m" + std::string(Screen::kMaxLog + 1, '\0');
  const std::string before =
      "primary\r\n\x1b[1;31mred\x1b]2;title\a\x1b[?1049h" + full_screen_redraws(2);
  Screen reference(kSize);
  Screen compacted(kSize);
  reference.feed(before + "\x1b[0m");
  compacted.feed(before + filler);
  EXPECT_LT(compacted.save().size(), 4096U);
  expect_same(compacted, reference);
  for (Screen* screen : {&reference, &compacted}) screen->feed("x\r\n\x1b[S\x1b[?1049l$ ");
  expect_same(compacted, reference);
}

TEST(ScreenTest, SavedScreenStaysSmall) {
  Screen screen({24, 80});
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    std::string burst;
    for (int k = 0; k < 500; ++k)
      burst += "\x1b[3" + std::to_string(random() % 8) + "mword" + (k % 16 == 0 ? "\r\n" : " ");
    screen.feed(burst);
    if (i % 10 == 0) {
      EXPECT_LT(screen.save().size(), 1024 * 1024U);
    }
  }
}

TEST(ScreenTest, ShrinkingKeepsTheCursorsLineAndPushesTheTopIntoTheScrollback) {
  Screen screen(kSize);
  screen.feed("1\r\n2\r\n3\r\n4\r\n5\r\nprompt$ ");
  screen.resize({3, 10});
  EXPECT_EQ(screen.text().rows, (Lines{"4", "5", "prompt$"}));
  EXPECT_EQ(screen.text().cursor_row, 2);
  EXPECT_EQ(screen.text().cursor_col, 8);
  EXPECT_EQ(screen.scrollback(10), (Lines{"1", "2", "3"}));
  EXPECT_EQ(screen.text().size, (WindowSize{3, 10}));
  screen.feed("x\r\n");
  EXPECT_EQ(screen.text().rows, (Lines{"5", "prompt$ x", ""}));
}

TEST(ScreenTest, GrowingTakesLinesBackAndAddsBlankSpace) {
  Screen screen({2, 10});
  screen.feed("1\r\n2\r\n3");
  screen.resize({4, 30});
  screen.feed("\x1b[30Gx\r\n4");
  EXPECT_EQ(screen.text().rows, (Lines{"1", "2", "3" + std::string(28, ' ') + "x", "4"}));
  EXPECT_EQ(screen.scrollback(10), Lines{});
}

TEST(ScreenTest, ResizingInTheAlternateScreenKeepsThePrimary) {
  Screen screen(kSize);
  screen.feed("1\r\n2\r\n3\r\n$ vim\r\n\x1b[?1049h\x1b[H\x1b[2Jediting\x1b[6;1Hstatus");
  screen.resize({3, 30});
  EXPECT_EQ(screen.text().rows.back(), "status");
  screen.feed("\x1b[?1049l$ ");
  EXPECT_EQ(screen.text().rows, (Lines{"3", "$ vim", "$"}));
  EXPECT_EQ(screen.scrollback(10), (Lines{"1", "2"}));
}

TEST(ScreenTest, ResizedScreenSurvivesSaving) {
  Screen screen(kSize);
  for (const WindowSize size :
       {WindowSize{3, 7}, WindowSize{50, 200}, WindowSize{1, 2}, WindowSize{24, 80}}) {
    screen.feed("some 世界 text that is long enough to wrap\r\nand more");
    screen.resize(size);
    Result<Screen> loaded = Screen::load(screen.save());
    ASSERT_TRUE(loaded);
    expect_same(screen, *loaded);
  }
}

TEST(ScreenTest, ResizingAfterMuchOutputKeepsTheText) {
  Screen screen(kSize);
  screen.feed("\x1b[H" + std::string(Screen::kMaxLog + 1, '\0') + "text");
  screen.resize({10, 10});
  EXPECT_EQ(rows_of(screen), (Lines{"text"}));
}

TEST(ScreenTest, MuchOutputShowsTheSameAsItsLastLines) {
  std::string flood = "\x1b[1;31m\x1b]2;title\a";
  for (int i = 0; i < 400000; ++i) flood += "line " + std::to_string(i) + "\r\n";
  Screen screen(kSize);
  for (std::string_view rest = flood; !rest.empty();
       rest.remove_prefix(std::min<std::size_t>(rest.size(), 4096))) {
    screen.feed(rest.substr(0, 4096));
  }
  EXPECT_LT(screen.save().size(), Screen::kMaxLog);
  EXPECT_EQ(screen.text().title, "title");
  EXPECT_EQ(rows_of(screen),
            (Lines{"line 399995", "line 399996", "line 399997", "line 399998", "line 399999"}));
  const Lines lines = screen.scrollback(SIZE_MAX);
  ASSERT_EQ(lines.size(), Screen::kMaxScrollback);
  EXPECT_EQ(lines.front(), "line 397995");
  EXPECT_EQ(lines.back(), "line 399994");
}

TEST(ScreenTest, OutOfRangeSizesAreClamped) {
  EXPECT_EQ(Screen({0, 0}).text().size, Screen::kMinSize);
  Screen screen({65535, 65535});
  EXPECT_EQ(screen.text().size, Screen::kMaxSize);
  screen.resize({0, 5});
  EXPECT_EQ(screen.text().size, (WindowSize{1, 5}));
}

TEST(ScreenTest, MovedScreenKeepsWorking) {
  Screen screen(kSize);
  screen.feed("abc");
  screen.text();
  Screen moved = std::move(screen);
  moved.feed("def\r\n\r\n\r\n\r\n\r\n\r\n\r\n");
  EXPECT_EQ(moved.scrollback(1), (Lines{""}));
  EXPECT_EQ(moved.scrollback(2).front(), "abcdef");
}

TEST(ScreenTest, InvalidSaveIsRefused) {
  Screen screen(kSize);
  for (int i = 0; i < 10; ++i) screen.feed(std::to_string(i) + "\r\n");
  screen.resize({5, 30});
  const std::string saved = screen.save();
  for (std::size_t size = 0; size < saved.size(); ++size) {
    const Result<Screen> cut = Screen::load(saved.substr(0, size));
    ASSERT_FALSE(cut) << "cut to " << size;
    EXPECT_EQ(cut.error().code, ErrorCode::kCorrupt);
  }
  EXPECT_EQ(Screen::load(saved + "x").error().code, ErrorCode::kCorrupt);
  std::string newer = saved;
  newer[8] = 3;
  EXPECT_EQ(Screen::load(newer).error().code, ErrorCode::kCorrupt);
  EXPECT_NE(Screen::load(newer).error().message.find("unknown version 3"), std::string::npos);
}

TEST(ScreenTest, DamagedSavesAreRefusedOrHarmless) {
  Screen screen(kSize);
  screen.feed("some text\r\n\x1b[31mred\r\n\r\n\r\n\r\n\r\n\r\n");
  screen.resize({5, 30});
  const std::string saved = screen.save();
  std::mt19937 random(7);
  for (int i = 0; i < 2000; ++i) {
    std::string damaged = saved;
    for (int k = 0; k < 3; ++k)
      damaged[random() % damaged.size()] = static_cast<char>(random() & 0xff);
    Result<Screen> loaded = Screen::load(damaged);
    if (!loaded) continue;
    EXPECT_EQ(loaded->text().rows.size(), loaded->text().size.rows);
    loaded->scrollback(100);
  }
}

}  // namespace
}  // namespace sf::waypoint
