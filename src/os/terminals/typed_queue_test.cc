#include "os/terminals/typed_queue.h"

#include <gtest/gtest.h>

namespace sf::os {
namespace {

TEST(TypedQueueTest, LinesAndEndsOfFileAreSplitAndJoinedAgain) {
  const std::pair<TypedAhead, TypedLines> same[] = {
      {{"", {}}, {{}, ""}},
      {{"abc", {}}, {{}, "abc"}},
      {{"one\ntwo\nrest", {}}, {{"one\n", "two\n"}, "rest"}},
      {{"partrest", {4}}, {{"part"}, "rest"}},
      {{"one\ntwo", {4, 4, 7}}, {{"one\n", "", "", "two"}, ""}},
      {{"", {0, 0}}, {{"", ""}, ""}},
      {{"a\n\nb", {2}}, {{"a\n", "", "\n"}, "b"}},
  };
  for (const auto& [ahead, lines] : same) {
    EXPECT_EQ(split_lines(ahead), lines) << ahead.bytes;
    EXPECT_EQ(join_lines(lines), ahead) << ahead.bytes;
  }
}

TEST(TypedQueueTest, AnEndOfFileIsRepresentedByAnUnusedCharacter) {
  EXPECT_EQ(unused_character(""), '\x04');
  EXPECT_EQ(unused_character("a\4b\5\n\6"), '\7');
  EXPECT_EQ(with_ends({"one\ntwo", {4, 7}}, '\4'), "one\n\4two\4");
}

TEST(TypedQueueTest, UnfinishedLinesCannotBeReadInCanonicalMode) {
  EXPECT_EQ(readable_bytes({"one\ntwo", {}}, true), 4U);
  EXPECT_EQ(readable_bytes({"one\ntwo", {6}}, true), 6U);
  EXPECT_EQ(readable_bytes({"two", {}}, true), 0U);
  EXPECT_EQ(readable_bytes({"one\ntwo", {}}, false), 7U);
}

}  // namespace
}  // namespace sf::os
