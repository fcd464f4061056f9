#include "engine/native/ipc/posix_queues.h"

#include <gtest/gtest.h>

namespace sf::waypoint::native {
namespace {

TEST(NativePosixQueuesTest, RegisteredNotificationsAreDetected) {
  EXPECT_FALSE(names_listener("QSIZE:5          NOTIFY:0     SIGNO:0     NOTIFY_PID:0     \n"));
  EXPECT_TRUE(names_listener("QSIZE:0          NOTIFY:0     SIGNO:10    NOTIFY_PID:42    \n"));
  EXPECT_TRUE(names_listener(""));
}

}  // namespace
}  // namespace sf::waypoint::native
