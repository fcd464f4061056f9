#include "cli/key_names.h"

#include <gtest/gtest.h>

namespace sf::cli {
namespace {

TEST(KeyNamesTest, NamesBecomeWhatATerminalSends) {
  EXPECT_EQ(key_bytes("Enter"), "\r");
  EXPECT_EQ(key_bytes("ESCAPE"), "\x1b");
  EXPECT_EQ(key_bytes("Up"), "\x1b[A");
  EXPECT_EQ(key_bytes("F12"), "\x1b[24~");
  EXPECT_EQ(key_bytes("C-c"), "\x03");
  EXPECT_EQ(key_bytes("C-C"), "\x03");
  EXPECT_EQ(key_bytes("^D"), "\x04");
  EXPECT_EQ(key_bytes("C-["), "\x1b");
  EXPECT_EQ(key_bytes("C-Space"), std::string(1, '\0'));
  EXPECT_EQ(key_bytes("C-?"), "\x7f");
  EXPECT_EQ(key_bytes("M-x"), "\x1bx");
  EXPECT_EQ(key_bytes("M-X"), "\x1bX");
  EXPECT_EQ(key_bytes("M-C-c"), "\x1b\x03");
  EXPECT_EQ(key_bytes("M-Up"), "\x1b\x1b[A");
}

TEST(KeyNamesTest, EverythingElseIsText) {
  for (const char* word : {"", "hello", "C-", "C-up", "^", "^^^", "M-", "M-hello", "F13", "C-1"})
    EXPECT_FALSE(key_bytes(word)) << word;
  EXPECT_EQ(typed_bytes({"echo hi", "Enter", "C-1"}), "echo hi\rC-1");
}

TEST(KeyNamesTest, AnyNumberOfAltsIsThatManyEscapes) {
  constexpr std::size_t kMany = 100'000;
  std::string word;
  for (std::size_t i = 0; i < kMany; ++i) word += "M-";
  EXPECT_EQ(key_bytes(word + "x"), std::string(kMany, '\x1b') + "x");
  EXPECT_FALSE(key_bytes(word));
}

}  // namespace
}  // namespace sf::cli
