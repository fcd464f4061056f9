#include "engine/native/sockets/netlink_sockets.h"

#include <gtest/gtest.h>

namespace sf::waypoint::native {
namespace {

TEST(NativeNetlinkTest, GroupsAreCountedFromOne) {
  EXPECT_EQ(groups_in({}), std::vector<std::uint32_t>{});
  EXPECT_EQ(groups_in({0x80000001U, 0x2U}), (std::vector<std::uint32_t>{1, 32, 34}));
}

TEST(NativeNetlinkTest, UnreadMessagesErrorsAndUnknownFiltersAreBlockers) {
  EXPECT_EQ(netlink_trouble({}), "");
  EXPECT_NE(netlink_trouble({.has_unread = true}), "");
  EXPECT_NE(netlink_trouble({.has_error = true}), "");
  EXPECT_NE(netlink_trouble({.has_unknown_filter = true}), "");
}

}  // namespace
}  // namespace sf::waypoint::native
