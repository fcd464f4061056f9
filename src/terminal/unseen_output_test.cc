#include "terminal/unseen_output.h"

#include <gtest/gtest.h>

#include <random>

#include "terminal/emulator.h"

namespace sf::waypoint {
namespace {

using namespace std::string_literals;

constexpr WindowSize kSize{3, 12};
constexpr std::size_t kKept = Screen::kMaxScrollback + kSize.rows;

std::string without(std::string_view stream, const UnseenOutput& part) {
  return std::string(stream.substr(0, part.begin)) + part.traces +
         std::string(stream.substr(part.end));
}

TEST(UnseenOutputTest, PartFollowedByEnoughLinesIsFound) {
  const std::string_view stream = "1\r\n2\r\n3\r\n4\r\n5";
  const std::optional<UnseenOutput> part = find_unseen_output(stream, 0, 1);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->begin, 0U);
  EXPECT_EQ(stream.substr(part->end), "3\r\n4\r\n5");
  EXPECT_EQ(without(stream, *part), "\r3\r\n4\r\n5");
  EXPECT_FALSE(find_unseen_output(stream, 2, 1));
  EXPECT_FALSE(find_unseen_output("", 0, 0));
  EXPECT_TRUE(find_unseen_output("1\r\n2\r\n3\r\n\x1b[?25", 0, 1));  // truncated: no effect yet
}

TEST(UnseenOutputTest, PenTitleAndCharacterSetLeaveTraces) {
  const std::optional<UnseenOutput> part = find_unseen_output(
      "\x1b[1m\x1b[0m\x1b[31ma\x1b[K\x1b]0;one\a\x1b]0;two\x1b\\\x1b[4mb\x1b(B\r\n1\r\n2\r\n", 1,
      0);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->traces, "\x1b[0m\x1b[31m\x1b[4m\x1b]0;two\x1b\\\x1b(B\r");
}

TEST(UnseenOutputTest, UnseenPartStartsAfterTheLastMotionOrModeChange) {
  for (const std::string& other :
       {"\x1b[H"s, "\x1b[2J"s, "\x1b[?1049h"s, "\x1b[1;5r"s, "\x1bM"s, "\x0e"s, "\x1b[A"s}) {
    const std::string stream = "a\r\nb\r\n" + other + "c\r\nd\r\ne\r\nf\r\n";
    const std::optional<UnseenOutput> part = find_unseen_output(stream, 0, 0);
    ASSERT_TRUE(part);
    EXPECT_EQ(part->begin, 6 + other.size());
    EXPECT_FALSE(find_unseen_output("a\r\nb\r\n" + other + "c\r\n", 0, 1));
  }
}

TEST(UnseenOutputTest, UnseenPartEndsOnlyAtAKnownLineStart) {
  const std::optional<UnseenOutput> part = find_unseen_output("a\r\nb\r\nc\nd\ne\n", 0, 2);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->end, 3U);
  EXPECT_FALSE(find_unseen_output("b\nc\nd\ne\n", 0, 2));
}

// A line feed that scrolls keeps a pending wrap; a line feed that moves the cursor down cancels it.
TEST(UnseenOutputTest, LinesWithoutCarriageReturnsDoNotFixTheColumn) {
  EXPECT_FALSE(find_unseen_output("\r\nab\n\n\n\ne", 2, 2));
  EXPECT_TRUE(find_unseen_output("\r\nab\n\n\r\n\n\ne", 2, 2));
}

std::string random_output(std::mt19937& random) {
  static const std::string kPieces[] = {"word ",  "\t",         "\r\n",    "\r\n",
                                        "\r\n",   "\n",         "\r",      "世界",
                                        "\b",     "\x1b[31m",   "\x1b[m",  "\x1b[0;44m",
                                        "\x1b[K", "\x1b[3G",    "\x1b[2P", "e\xcc\x81",
                                        "\xff",   "\x1b]0;t\a", "\x1b[2@", "a long one that wraps ",
                                        "\a",     "\x1b[1;4m",  "\x1b(B",  "\x1b[2D"};
  static const std::string kOthers[] = {
      "\x1b[H",   "\x1b[2J", "\x1b[?1049h", "\x1b[?1049l", "\x1b[1;2r", "\x1b[r", "\x1bM",
      "\x1b[?7l", "\x1bP",   "\x1b\\",      "\x1b]",       "\x1b[",     "\x1b",   "\x18",
      "\x1b(0",   "\x0e",    "\x0f",        "\x1b[4h",     "\x1b[?6h"};
  std::string output;
  for (std::size_t others = random() % 40; others > 0; --others)
    output += kOthers[random() % std::size(kOthers)] + "x\r\n";
  for (int i = 0; i < 30000; ++i) output += kPieces[random() % std::size(kPieces)];
  return output;
}

TEST(UnseenOutputTest, OmittingTheUnseenPartDoesNotChangeTheScreen) {
  int found = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    const std::string stream = random_output(random);
    const std::optional<UnseenOutput> part = find_unseen_output(stream, kSize.rows, kKept);
    ASSERT_TRUE(part) << "seed " << seed;
    Emulator whole(kSize, {});
    whole.feed(std::string_view(stream).substr(0, part->begin));
    if (!whole.is_scrolling_freely()) continue;
    ++found;
    whole.feed(std::string_view(stream).substr(part->begin));
    Emulator shortened(kSize, {});
    shortened.feed(without(stream, *part));
    EXPECT_EQ(shortened.text(), whole.text()) << "seed " << seed;
    EXPECT_EQ(shortened.scrollback(), whole.scrollback()) << "seed " << seed;
    EXPECT_EQ(repaint(std::move(shortened).take_snapshot()),
              repaint(std::move(whole).take_snapshot()))
        << "seed " << seed;
  }
  EXPECT_GT(found, 10);
}

}  // namespace
}  // namespace sf::waypoint
