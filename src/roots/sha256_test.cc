#include "roots/sha256.h"

#include <gtest/gtest.h>

#include "testing/matchers.h"

namespace sf::roots {
namespace {

// FIPS 180-2, appendix B.
TEST(Sha256Test, StandardExamplesHaveTheirDigests) {
  EXPECT_EQ(sha256_of("abc"),
            "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_of(""),
            "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Sha256Test, PiecesHaveTheSameDigestAsTheWhole) {
  Sha256 hash;
  hash.add("a");
  hash.add("");
  hash.add("bc");
  EXPECT_EQ(hash.finish(), sha256_of("abc"));
}

TEST(Sha256Test, OnlyValidDigestsGiveDigits) {
  ASSERT_OK_AND_ASSIGN(std::string digits, digest_digits(sha256_of("abc")));
  EXPECT_TRUE(is_sha256_digits(digits));
  EXPECT_EQ(digits.substr(0, 8), "ba7816bf");
  for (const std::string& bad :
       {std::string("sha256:../../etc"), std::string("sha256:"), std::string(""), digits,
        "md5:" + digits, "sha256:" + digits.substr(1) + "G", "sha256:" + digits + "0"}) {
    auto refused = digest_digits(bad);
    ASSERT_FALSE(refused.ok()) << bad;
    EXPECT_EQ(refused.error().code, ErrorCode::kCorrupt) << bad;
  }
  auto other = digest_digits("sha512:" + digits + digits);
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().code, ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace sf::roots
