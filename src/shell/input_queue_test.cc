#include "shell/input_queue.h"

#include <gtest/gtest.h>

#include "testing/matchers.h"

namespace sf::waypoint {
namespace {

TEST(InputQueueTest, BytesLeaveTheQueueInOrder) {
  InputQueue queue(100);
  ASSERT_OK(queue.push("one "));
  ASSERT_OK(queue.push("two"));
  EXPECT_EQ(queue.front(5), "one t");
  queue.pop(5);
  EXPECT_EQ(queue.front(100), "wo");
  ASSERT_OK(queue.push("!"));
  EXPECT_EQ(queue.content(), "wo!");
  EXPECT_EQ(queue.size(), 3U);
}

TEST(InputQueueTest, TextThatDoesNotFitIsRefusedWithTheRoomLeft) {
  InputQueue queue(10);
  ASSERT_OK(queue.push("1234567"));
  Status refused = queue.push("8901");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kBusy);
  EXPECT_EQ(refused.error().details.at("room_bytes"), "3");
  EXPECT_EQ(queue.content(), "1234567");
  EXPECT_OK(queue.push("890"));
  EXPECT_EQ(queue.room(), 0U);
}

TEST(InputQueueTest, TextLargerThanTheQueueIsInvalid) {
  InputQueue queue(10);
  Status refused = queue.push("12345678901");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(queue.empty());
}

TEST(InputQueueTest, PoppedBytesFreeRoom) {
  InputQueue queue(1U << 20U);
  const std::string piece(300U << 10U, 'x');
  for (int round = 0; round < 20; ++round) {
    ASSERT_OK(queue.push(piece));
    ASSERT_OK(queue.push("end"));
    ASSERT_EQ(queue.size(), piece.size() + 3);
    while (queue.size() > 3) queue.pop(std::min<std::size_t>(queue.size() - 3, 4000));
    ASSERT_EQ(queue.front(10), "end");
    queue.pop(3);
    ASSERT_EQ(queue.room(), 1U << 20U);
  }
}

TEST(InputQueueTest, EraseRemovesAKeyFromTheQueue) {
  InputQueue queue(10);
  ASSERT_OK(
      queue.push("a\x03"
                 "b\x03"));
  queue.pop(1);
  queue.erase('\x03');
  EXPECT_EQ(queue.content(), "b");
  queue.clear();
  EXPECT_TRUE(queue.empty());
}

}  // namespace
}  // namespace sf::waypoint
