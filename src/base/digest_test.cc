#include "base/digest.h"

#include <gtest/gtest.h>

namespace sf {
namespace {

TEST(DigestTest, DependsOnEveryByteAndOnWhereTextsEnd) {
  EXPECT_EQ(Digest().add("abc").hex(), Digest().add("abc").hex());
  EXPECT_NE(Digest().add("abc").hex(), Digest().add("abd").hex());
  EXPECT_NE(Digest().add("ab").add("c").hex(), Digest().add("a").add("bc").hex());
  EXPECT_NE(Digest().hex(), Digest().add("").hex());
}

TEST(DigestTest, StartsFromThePublishedBasis) {
  EXPECT_EQ(Digest().hex(), "6c62272e07bb014262b821756295c58d");
}

}  // namespace
}  // namespace sf
