#include "os/mount.h"

#include <gtest/gtest.h>

namespace sf::os {
namespace {

using Paths = std::vector<std::string>;

constexpr const char* kMounts =
    "20 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
    "22 20 8:2 / /home rw master:3 - ext4 /dev/sda2 rw\n"
    "21 20 0:5 / /a\\040b\\134c rw - tmpfs tmpfs rw\n"
    "23 20 8:3 / /home rw - ext4 /dev/sda3 rw\n"
    "24 22 8:4 /sub /home/x rw - ext4 /dev/sda4 rw\n"
    "25 20 8:5 / /homeless rw - ext4 /dev/sda5 rw\n";

TEST(MountPointsTest, EachMountPointIsListedOnceWithoutTheRootItself) {
  EXPECT_EQ(mount_points_below(kMounts, "/"), (Paths{"/a b\\c", "/home", "/home/x", "/homeless"}));
}

TEST(MountPointsTest, ADirectoryWithTheSamePrefixIsNotBelow) {
  EXPECT_EQ(mount_points_below(kMounts, "/home"), Paths{"/home/x"});
  EXPECT_EQ(mount_points_below(kMounts, "/none"), Paths{});
}

TEST(MountPointsTest, DamagedLinesAreSkipped) {
  EXPECT_EQ(mount_points_below("", "/"), Paths{});
  EXPECT_EQ(mount_points_below("1 2 3 4\n\n1 2 3 4 /x\\9\\04\n", "/"), Paths{"/x\\9\\04"});
}

}  // namespace
}  // namespace sf::os
