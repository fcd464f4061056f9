#include "base/id.h"

#include <gtest/gtest.h>

#include <random>
#include <type_traits>
#include <unordered_set>

namespace sf {
namespace {

using AppleId = Id<struct AppleTag>;
using PearId = Id<struct PearTag>;

static_assert(!std::is_convertible_v<std::string, AppleId>, "a text is no id by itself");
static_assert(!std::is_constructible_v<AppleId, PearId>, "ids of two kinds do not mix");

TEST(IdTest, LettersDigitsAndInnerDashesAreValid) {
  for (const char* text : {"a", "7", "c-0123456789ab", "main", "a-b-c", "0-0"})
    EXPECT_TRUE(is_valid_id(text)) << text;
  EXPECT_TRUE(is_valid_id(std::string(64, 'x')));
}

TEST(IdTest, TextThatCouldEscapeADirectoryIsInvalid) {
  for (std::string_view text :
       {"", ".", "..", "../a", "a/b", "/", "a.b", "~", "a\\b", "a b", "a\n"})
    EXPECT_FALSE(is_valid_id(text)) << text;
  EXPECT_FALSE(is_valid_id(std::string_view("a\0b", 3)));
  EXPECT_FALSE(is_valid_id("\xc3\xa4"));
}

TEST(IdTest, UpperCaseAndLeadingOrTrailingDashesAreInvalid) {
  for (const char* text : {"A", "aB", "-a", "a-", "-", "--"})
    EXPECT_FALSE(is_valid_id(text)) << text;
}

TEST(IdTest, TwoDashesInARowAreInvalid) { EXPECT_FALSE(is_valid_id("a--b")); }

TEST(IdTest, MoreThan64CharactersAreInvalid) {
  EXPECT_FALSE(is_valid_id(std::string(65, 'x')));
  EXPECT_FALSE(is_valid_id(std::string(1 << 20, 'x')));
}

TEST(IdTest, RandomTextIsValidOnlyIfEveryByteIsAllowed) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789-";
  std::mt19937 random(4);
  for (int round = 0; round < 20'000; ++round) {
    std::string text(1 + random() % 5, '\0');
    for (char& c : text)
      c = random() % 4 != 0 ? kAllowed[random() % kAllowed.size()] : static_cast<char>(random());
    bool expected = text.find_first_not_of(kAllowed) == std::string::npos &&
                    text.find("--") == std::string::npos && text.front() != '-' &&
                    text.back() != '-';
    EXPECT_EQ(is_valid_id(text), expected) << text;
  }
}

TEST(IdTest, IdsCompareAndHashByTheirText) {
  AppleId a("a");
  EXPECT_EQ(a, AppleId("a"));
  EXPECT_LT(a, AppleId("b"));
  EXPECT_TRUE(AppleId().empty());
  std::unordered_set<AppleId> set{a, AppleId("a"), AppleId("b")};
  EXPECT_EQ(set.size(), 2U);
  EXPECT_EQ(to_string(a), "a");
}

}  // namespace
}  // namespace sf
