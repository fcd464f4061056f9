#include "wire/base64.h"

#include <gtest/gtest.h>

#include "testing/matchers.h"

namespace sf::wire {
namespace {

TEST(Base64Test, KnownPairsAreEncodedAndDecoded) {
  const std::pair<std::string, std::string> pairs[] = {
      {"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : pairs) {
    EXPECT_EQ(to_base64(bytes), text);
    ASSERT_OK_AND_ASSIGN(std::string back, from_base64(text));
    EXPECT_EQ(back, bytes);
  }
}

TEST(Base64Test, EveryByteSurvivesARoundTrip) {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  ASSERT_OK_AND_ASSIGN(std::string back, from_base64(to_base64(all)));
  EXPECT_EQ(back, all);
}

TEST(Base64Test, NonCanonicalBase64IsRefused) {
  for (const char* text :
       {"Zg", "Zg=", "Z===", "Zg==Zg==", "Zm9 ", "Zm9\n", "Zh==", "Zm9=", "===="})
    EXPECT_FALSE(from_base64(text).ok()) << text;
}

TEST(Utf8Test, Utf8TextIsDistinguishedFromOtherBytes) {
  for (const char* text :
       {"", "abc", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xed\x9f\xbf"})
    EXPECT_TRUE(is_utf8(text)) << text;
  for (const char* bytes : {"\xff", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                            "\xc3", "\xe2\x82", "a\x80"})
    EXPECT_FALSE(is_utf8(bytes));
}

}  // namespace
}  // namespace sf::wire
