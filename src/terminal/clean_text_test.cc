#include "terminal/clean_text.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>

namespace sf::waypoint {
namespace {

using namespace std::string_literals;

// Random pieces that form incomplete and interrupted sequences more often than random bytes do.
std::string random_stream(std::mt19937& random, std::size_t length) {
  static const std::string kPieces[] = {"\x1b",    "[",         "\x1b[",
                                        "\x1b]",   "\x1bP",     "\x1b\\",
                                        "\a",      "\r",        "\n",
                                        "\b",      "\t",        "K",
                                        "2K",      "1K",        "G",
                                        "5G",      "3D",        "\x1b[4C",
                                        "\x1b[1K", "\x1b[3G",   "\x1b[2P",
                                        "m",       ";",         "?",
                                        "0",       "7",         "a",
                                        "xyz",     "\x18",      "\x7f",
                                        "\xc3",    "\xa9",      "\xe4",
                                        "\xb8",    "\xad",      "\xf0",
                                        "\x9f",    "\x98\x80",  "\xe4\xb8\xad",
                                        "\x1b[2@", "\xc2",      "\x9b",
                                        "\xff",    "\xed\xa0",  " ",
                                        "\x1b[X",  "\x1bk",     "\x1b_",
                                        "\r\n",    "\x1b[1;31m"};
  std::string stream;
  while (stream.size() < length) {
    if (random() % 4 == 0) {
      stream += static_cast<char>(random() & 0xff);
    } else {
      stream += kPieces[random() % std::size(kPieces)];
    }
  }
  return stream;
}

std::string clean_in_pieces(std::string_view raw, std::mt19937& random, std::size_t longest) {
  TextCleaner cleaner;
  std::string text;
  while (!raw.empty()) {
    const std::size_t size = std::min<std::size_t>(raw.size(), random() % longest + 1);
    text += cleaner.feed(raw.substr(0, size));
    raw.remove_prefix(size);
  }
  return text + cleaner.finish();
}

TEST(CleanTextTest, PlainTextIsReturnedUnchanged) {
  EXPECT_EQ(clean_text(""), "");
  EXPECT_EQ(clean_text("abc"), "abc");
  EXPECT_EQ(clean_text("abc\n"), "abc\n");
  EXPECT_EQ(clean_text("\n\n a \n\n"), "\n\n a \n\n");
  EXPECT_EQ(clean_text("a\tb\tc"), "a\tb\tc");
  EXPECT_EQ(clean_text("grüße, 世界 😀\n"), "grüße, 世界 😀\n");
}

TEST(CleanTextTest, CarriageReturnsBeforeANewlineAreRemoved) {
  EXPECT_EQ(clean_text("a\r\nb\r\n"), "a\nb\n");
  EXPECT_EQ(clean_text("a\r\r\nb\r\r\r\n"), "a\nb\n");
}

TEST(CleanTextTest, TextAfterACarriageReturnOverwritesTheLine) {
  EXPECT_EQ(clean_text("10%\r50%\r100%\r\ndone"), "100%\ndone");
  EXPECT_EQ(clean_text("abcdef\rXY"), "XYcdef");
  EXPECT_EQ(clean_text("abc\r"), "abc");
}

TEST(CleanTextTest, OverwritingReplacesCharactersNotBytes) {
  EXPECT_EQ(clean_text("äöü\rx"), "xöü");
  EXPECT_EQ(clean_text("abc\rä"), "äbc");
  EXPECT_EQ(clean_text("世界\b\bx"), "世x ");
  EXPECT_EQ(clean_text("[██   ]\r[███  ]\r\n"), "[███  ]\n");
}

TEST(CleanTextTest, BackspaceMovesLeftAndStopsAtTheStart) {
  EXPECT_EQ(clean_text("abc\b\bX"), "aXc");
  EXPECT_EQ(clean_text("a\b\b\b\bX"), "X");
  EXPECT_EQ(clean_text("password: ab\b \b"), "password: a ");
}

TEST(CleanTextTest, ColoursAndOtherSequencesAreDropped) {
  EXPECT_EQ(clean_text("\x1b[1;31mred\x1b[0m plain"), "red plain");
  EXPECT_EQ(clean_text("\x1b[38:2::1:2:3mx\x1b[?25l\x1b[?2004hy\x1b(Bz\x1b=\x1b>\x1b#8"), "xyz");
  EXPECT_EQ(clean_text("a\x1b[10;10Hb\x1b[2Jc\x1b[Ad"), "abcd");
}

TEST(CleanTextTest, StringSequencesAreDroppedWithTheirText) {
  EXPECT_EQ(clean_text("\x1b]0;title\aA\x1b]8;;http://x\x1b\\B"), "AB");
  EXPECT_EQ(
      clean_text("\x1bP1$r0m\x1b\\A\x1b_apc\x1b\\B\x1b^pm\x1b\\C\x1bXsos\x1b\\D\x1bktitle\x1b\\E"),
      "ABCDE");
  EXPECT_EQ(clean_text("\x1bPbell \a is content\x1b\\A"), "A");
  EXPECT_EQ(clean_text("\x1b]0;" + std::string(100000, 't') + "\aA"), "A");
}

TEST(CleanTextTest, TruncatedSequenceAtTheEndIsDropped) {
  EXPECT_EQ(clean_text("abc\x1b"), "abc");
  EXPECT_EQ(clean_text("abc\x1b[1;3"), "abc");
  EXPECT_EQ(clean_text("abc\x1b]0;ti"), "abc");
  EXPECT_EQ(clean_text("abc\x1b[" + std::string(1000, '1')), "abc");
}

TEST(CleanTextTest, BrokenSequenceDoesNotRemoveTheTextAfterIt) {
  EXPECT_EQ(clean_text("\x1b[31\x1b[32mgreen"), "green");
  EXPECT_EQ(clean_text("\x1b[31\x18text"), "text");
  EXPECT_EQ(clean_text("\x1b]0;title\x1b[0mtext"), "text");
  EXPECT_EQ(clean_text("\x1b[3ütext"), "ütext");
  EXPECT_EQ(clean_text("\x1b[" + std::string(1000, '1') + "mtext"), "text");
}

TEST(CleanTextTest, ControlsInsideASequenceAreExecuted) {
  EXPECT_EQ(clean_text("ab\x1b[3\n1mc"), "ab\nc");
}

TEST(CleanTextTest, OtherControlsAreDropped) {
  EXPECT_EQ(clean_text("a\0b\ac\vd\fe\x0e\x0f\x7f"s), "abcde");
  EXPECT_EQ(clean_text("a\xc2\x9b"
                       "1mb\xc2\x85"),
            "a1mb");  // C1 as characters: invisible, but not sequences
}

TEST(CleanTextTest, LineErasureIsApplied) {
  EXPECT_EQ(clean_text("abcdef\r\x1b[K"), "");
  EXPECT_EQ(clean_text("abcdef\x1b[3D\x1b[K"), "abc");
  EXPECT_EQ(clean_text("abcdef\x1b[3D\x1b[0KX"), "abcX");
  EXPECT_EQ(clean_text("abcdef\x1b[2K\rnew"), "new");
  EXPECT_EQ(clean_text("abc\x1b[2Kdef"), "   def");
  EXPECT_EQ(clean_text("abcdef\x1b[4D\x1b[1K"), "   def");
  EXPECT_EQ(clean_text("äbcdef\x1b[4D\x1b[1K"), "   def");
  EXPECT_EQ(clean_text("äöü\x1b[2D\x1b[K\n"), "ä\n");
  EXPECT_EQ(clean_text("abc\x1b[?2Kdef"), "abcdef");
}

TEST(CleanTextTest, MotionWithinTheLineIsApplied) {
  EXPECT_EQ(clean_text("abcdef\x1b[3GX"), "abXdef");
  EXPECT_EQ(clean_text("abcdef\x1b[GX"), "Xbcdef");
  EXPECT_EQ(clean_text("ab\x1b[3CX"), "ab   X");
  EXPECT_EQ(clean_text("abc\x1b[2DX"), "aXc");
  EXPECT_EQ(clean_text("abc\x1b[99DX"), "Xbc");
  EXPECT_EQ(clean_text("ab\x1b[3C"), "ab");
  EXPECT_EQ(clean_text("ä\x1b[5Gö"), "ä   ö");
}

TEST(CleanTextTest, CharactersAreInsertedDeletedAndErasedWithinTheLine) {
  EXPECT_EQ(clean_text("abcdef\r\x1b[2P"), "cdef");
  EXPECT_EQ(clean_text("abcdef\r\x1b[2@X"), "X abcdef");
  EXPECT_EQ(clean_text("abcdef\r\x1b[2X"), "  cdef");
  EXPECT_EQ(clean_text("äöüß\r\x1b[P\x1b[C\x1b[Xx"), "öxß");
}

TEST(CleanTextTest, HugeMotionDoesNotMakeHugeOutput) {
  EXPECT_LE(clean_text("\x1b[99999999999999999999Cx").size(), EditedLine::kMaxReach + 1);
  EXPECT_LE(clean_text("\x1b[65535Gx").size(), EditedLine::kMaxReach + 1);
  std::string inserts = "abc\r";
  for (int i = 0; i < 10000; ++i) inserts += "\x1b[9999@";
  EXPECT_LE(clean_text(inserts).size(), EditedLine::kMaxReach + 1);
}

TEST(CleanTextTest, EachMaximalInvalidPartBecomesOneReplacementCharacter) {
  const std::string r = "\xef\xbf\xbd";
  EXPECT_EQ(clean_text("a\xff"
                       "b"),
            "a" + r + "b");
  EXPECT_EQ(clean_text("\xe4\xb8"
                       "b"),
            r + "b");                                        // cut-off character
  EXPECT_EQ(clean_text("\xe4\xb8"), r);                      // at the end, too
  EXPECT_EQ(clean_text("\xc0\xaf"), r + r);                  // overlong
  EXPECT_EQ(clean_text("\xed\xa0\x80"), r + r + r);          // surrogate
  EXPECT_EQ(clean_text("\xf4\x90\x80\x80"), r + r + r + r);  // above U+10FFFF
  EXPECT_EQ(clean_text("\xf0\x9f\x98\n"), r + "\n");
  EXPECT_EQ(clean_text("\x80\x9b[31m"), r + r + "[31m");  // never C1
}

TEST(CleanTextTest, SplittingTheStreamDoesNotChangeTheText) {
  for (unsigned seed = 0; seed < 400; ++seed) {
    std::mt19937 random(seed);
    const std::string raw = random_stream(random, 300);
    const std::string whole = clean_text(raw);
    EXPECT_EQ(clean_in_pieces(raw, random, 1), whole) << "seed " << seed;
    EXPECT_EQ(clean_in_pieces(raw, random, 7), whole) << "seed " << seed;
    EXPECT_EQ(clean_in_pieces(raw, random, 60), whole) << "seed " << seed;
  }
}

TEST(CleanTextTest, SplittingVeryLongLinesDoesNotChangeTheText) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    std::string raw;
    for (int i = 0; i < 20; ++i) {
      raw += random_stream(random, random() % 200);
      raw += std::string(random() % 9000, 'x');
      for (std::size_t k = random() % 3000; k > 0; --k) raw += "é";
    }
    EXPECT_EQ(clean_in_pieces(raw, random, 5000), clean_text(raw)) << "seed " << seed;
  }
}

TEST(CleanTextTest, CleanTextIsValidUtf8AndStaysUnchangedIfCleanedAgain) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    const std::string once = clean_text(random_stream(random, 500));
    EXPECT_EQ(clean_text(once), once) << "seed " << seed;
  }
}

TEST(TextCleanerTest, FeedReturnsFinishedLinesAndFinishTheRest) {
  TextCleaner cleaner;
  EXPECT_EQ(cleaner.feed("one\r\ntw"), "one\n");
  EXPECT_EQ(cleaner.feed("o\r"), "");
  EXPECT_EQ(cleaner.feed("\nthree"), "two\n");
  EXPECT_EQ(cleaner.finish(), "three");
  EXPECT_EQ(cleaner.feed("again\n"), "again\n");
}

TEST(TextCleanerTest, LongUnfinishedLineIsReturnedInPieces) {
  TextCleaner cleaner;
  std::size_t given = 0;
  for (int i = 0; i < 5 * 1024; ++i) given += cleaner.feed(std::string(1024, 'x')).size();
  constexpr std::size_t kAll = 5UL * 1024 * 1024;
  EXPECT_GE(given, kAll - TextCleaner::kMaxLine);
  EXPECT_EQ(given + cleaner.finish().size(), kAll);
}

// The limits are generous, to catch quadratic time in any build and on a busy machine.
TEST(CleanTextTest, TimeIsLinearInTheInput) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(clean_text(std::string(5 << 20, 'x')).size(), 5U << 20U);
  std::string accents, bars, erasures(TextCleaner::kMaxLine - 10, 'x');
  for (int i = 0; i < 500000; ++i) accents += "é";
  for (int i = 0; i < 20000; ++i) bars += "\r[█████     ] " + std::to_string(i);
  for (int i = 0; i < 20000; ++i) erasures += "\x1b[1K";
  EXPECT_EQ(clean_text(accents), accents);
  EXPECT_EQ(clean_text(bars), "[█████     ] 19999");
  EXPECT_LE(clean_text(erasures).size(), erasures.size());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

TEST(CleanTextTest, ColumnsAreTerminalCells) {
  const std::pair<const char*, const char*> lines[] = {
      {"日本語\rab", "ab本語"},   // the first character has two cells
      {"日本語\ra", "a 本語"},    // half of it is left: a blank
      {"日本語\b\bX", "日本X "},  // the cursor is behind six cells
      {"日本語\b\b\b\bX", "日X 語"},
      {"ab\r日", "日"},
      {"abc\b日", "ab日"},
      {"e\xcc\x81x\rab", "ab"},  // a mark has no cell, and goes with its character
      {"e\xcc\x81x\b\x1b[Ky", "e\xcc\x81y"},
      {"日本語\x1b[3G\x1b[P", "日 語"},  // deleting one cell breaks a wide character
      {"日本語\x1b[2G\x1b[K", " "},
      {"日本語\x1b[2G\x1b[@", "   本語"},
      {"👍 done\rok", "ok done"},
      {"ab\r\xcc\x81", "ab"},
  };
  for (const auto& [raw, clean] : lines) EXPECT_EQ(clean_text(raw), clean) << raw;
}

}  // namespace
}  // namespace sf::waypoint
