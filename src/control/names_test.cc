#include "control/names.h"

#include <gtest/gtest.h>

#include "control/preserves.h"
#include "testing/matchers.h"

namespace sf::control {
namespace {

TEST(NamesTest, LettersDigitsDashesAndUnderscoresMakeAName) {
  for (const char* name : {"a", "main", "before-upgrade", "Try_2", "7", "n", "n1x", "x-"})
    EXPECT_OK(check_name(name, "name")) << name;
  EXPECT_OK(check_name(std::string(kMaxName, 'x'), "name"));
}

TEST(NamesTest, NamesWithSpecialMeaningAreRefused) {
  for (const char* name : {"", "a/b", ".", "..", "a.b", "a:b", "a,b", "HEAD~2", "a~", "a b", "-x",
                           "_x", "a@b", "a^", "a'b", "\xc3\xa4", "a\n"})
    EXPECT_FALSE(check_name(name, "name").ok()) << name;
  EXPECT_FALSE(check_name(std::string_view("a\0b", 3), "name").ok());
  EXPECT_FALSE(check_name(std::string(kMaxName + 1, 'x'), "name").ok());
}

TEST(NamesTest, HeadInAnyCaseAndNodeIdsAreRefused) {
  for (const char* name : {"HEAD", "head", "Head", "n0", "n17"})
    EXPECT_FALSE(check_name(name, "name").ok()) << name;
}

TEST(NamesTest, MessageForAHugeNameIsShort) {
  Status refused = check_name(std::string(1 << 20, '/'), "node name");
  EXPECT_LT(refused.error().message.size(), 200U);
  EXPECT_EQ(refused.error().message.find("node name '"), 0U);
}

TEST(NamesTest, IdsSortByAgeNotAlphabetically) {
  OlderFirst older;
  EXPECT_TRUE(older(NodeId("n9"), NodeId("n10")));
  EXPECT_FALSE(older(NodeId("n10"), NodeId("n9")));
  EXPECT_TRUE(older(NodeId("n10"), NodeId("n11")));
}

TEST(PreservesTest, EverySetOfPartsRoundTripsThroughItsWords) {
  for (unsigned bits = 0; bits < 32; ++bits) {
    Preserves parts = Preserves::from_bits(bits);
    ASSERT_OK_AND_ASSIGN(Preserves again, preserves_from_words(to_words(parts)));
    EXPECT_EQ(again, parts) << to_words(parts);
  }
  EXPECT_EQ(to_words(Preserves::kFiles | Preserves::kShell), "files,shell");
  EXPECT_EQ(to_words(Preserves()), "nothing");
}

TEST(PreservesTest, UnknownWordsAreNamed) {
  for (const char* words : {"", "file", "files,", "files,,shell", "nothing,files"})
    EXPECT_FALSE(preserves_from_words(words).ok()) << words;
  EXPECT_NE(preserves_from_words("files,sockets").error().message.find("sockets"),
            std::string::npos);
}

TEST(PreservesTest, HasRequiresAllParts) {
  Preserves both = Preserves::kFiles | Preserves::kShell;
  EXPECT_TRUE(both.has(Preserves::kFiles));
  EXPECT_TRUE(both.has(both));
  EXPECT_FALSE(both.has(Preserves::kFiles | Preserves::kMemory));
  EXPECT_TRUE(Preserves::everything().has(Preserves::kLocalServices));
}

}  // namespace
}  // namespace sf::control
