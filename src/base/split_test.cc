#include "base/split.h"

#include <gtest/gtest.h>

namespace sf {
namespace {

using Parts = std::vector<std::string>;

TEST(SplitTest, TextIsSplitAtSeparators) {
  EXPECT_EQ(split("root:x:0", ':'), (Parts{"root", "x", "0"}));
  EXPECT_EQ(split("alone", ':'), (Parts{"alone"}));
}

TEST(SplitTest, EmptyPartsInsideAreKept) {
  EXPECT_EQ(split(":a::b", ':'), (Parts{"", "a", "", "b"}));
}

TEST(SplitTest, NothingFollowsASeparatorAtTheEnd) {
  EXPECT_EQ(split("a\nb\n", '\n'), (Parts{"a", "b"}));
  EXPECT_EQ(split("\n", '\n'), (Parts{""}));
  EXPECT_EQ(split("", '\n'), Parts{});
}

}  // namespace
}  // namespace sf
