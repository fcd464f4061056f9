#include "os/cgroup_thaw.h"

#include <gtest/gtest.h>

namespace sf::os {
namespace {

TEST(CgroupThawTest, SwitchesRunFromTheNamedGroupDownToTheProcessesOwnGroup) {
  CgroupLayout both;
  both.unified = "/sys/fs/cgroup/unified";
  both.v1["freezer"] = "/sys/fs/cgroup/freezer";
  const std::string groups =
      "7:pids:/pod/libpod-1\n6:freezer:/pod/libpod-1\n0::/pod/libpod-1/container\n";
  EXPECT_EQ(freezer_switches(both, groups, "libpod-"),
            (std::vector<FreezerSwitch>{
                {"/sys/fs/cgroup/freezer/pod/libpod-1/freezer.state", "THAWED"},
                {"/sys/fs/cgroup/unified/pod/libpod-1/cgroup.freeze", "0"},
                {"/sys/fs/cgroup/unified/pod/libpod-1/container/cgroup.freeze", "0"}}));
}

TEST(CgroupThawTest, GroupsWithOtherNamesHaveNoSwitches) {
  CgroupLayout modern;
  modern.unified = "/sys/fs/cgroup";
  EXPECT_TRUE(freezer_switches(modern, "0::/\n", "libpod-").empty());
  EXPECT_TRUE(freezer_switches(modern, "0::/user.slice/shell\n", "libpod-").empty());
  EXPECT_TRUE(freezer_switches(modern, "6:freezer:/libpod-1\nnonsense\n", "libpod-").empty());
  EXPECT_TRUE(freezer_switches({}, "6:freezer:/libpod-1\n0::/libpod-1\n", "libpod-").empty());
}

}  // namespace
}  // namespace sf::os
