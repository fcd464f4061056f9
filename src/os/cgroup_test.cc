#include "os/cgroup.h"

#include <gtest/gtest.h>

#include <random>

#include "os/file.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace sf::os {
namespace {

constexpr const char* kPureV2 =
    "23 1 0:21 / /proc rw,nosuid - proc proc rw\n"
    "30 23 0:26 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:9 - cgroup2 cgroup2 "
    "rw,nsdelegate,memory_recursiveprot\n";

constexpr const char* kHybrid =
    "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"
    "32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu\n"
    "33 31 0:30 / /sys/fs/cgroup/cpuacct rw,relatime - cgroup cgroup rw,cpuacct\n"
    "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
    "39 31 0:36 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids\n"
    "40 31 0:37 / /sys/fs/cgroup/systemd rw,relatime - cgroup cgroup rw,name=systemd\n"
    "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n";

constexpr const char* kV1Only =
    "26 25 0:23 / /sys/fs/cgroup/systemd rw shared:9 - cgroup cgroup rw,xattr,name=systemd\n"
    "30 25 0:27 / /sys/fs/cgroup/cpu,cpuacct rw shared:13 - cgroup cgroup rw,cpu,cpuacct\n"
    "31 25 0:28 / /sys/fs/cgroup/memory rw shared:14 master:2 - cgroup cgroup rw,memory\n";

TEST(CgroupLayoutTest, APureV2HostHasOneTree) {
  CgroupLayout layout = parse_cgroup_mounts(kPureV2);
  EXPECT_EQ(layout.unified, "/sys/fs/cgroup");
  EXPECT_TRUE(layout.v1.empty());
}

TEST(CgroupLayoutTest, AHybridHostHasItsControllersInV1) {
  CgroupLayout layout = parse_cgroup_mounts(kHybrid);
  EXPECT_EQ(layout.unified, "/sys/fs/cgroup/unified");
  EXPECT_EQ(layout.v1, (std::map<std::string, std::string>{{"cpu", "/sys/fs/cgroup/cpu"},
                                                           {"memory", "/sys/fs/cgroup/memory"},
                                                           {"pids", "/sys/fs/cgroup/pids"}}));
  for (const char* controller : {"cpu", "memory", "pids"})
    EXPECT_TRUE(layout.can_limit(controller)) << controller;
}

TEST(CgroupLayoutTest, AV1HostHasNoUnifiedTreeAndJoinedControllers) {
  CgroupLayout layout = parse_cgroup_mounts(kV1Only);
  EXPECT_EQ(layout.unified, "");
  EXPECT_EQ(layout.v1.at("cpu"), "/sys/fs/cgroup/cpu,cpuacct");
  EXPECT_TRUE(layout.can_limit("memory"));
  EXPECT_FALSE(layout.can_limit("pids"));
}

TEST(CgroupLayoutTest, AV2TreeLimitsOnlyWithItsOwnControllers) {
  CgroupLayout layout = parse_cgroup_mounts(kPureV2);
  EXPECT_FALSE(layout.can_limit("memory"));
  layout.unified_controllers = {"cpu", "memory"};
  EXPECT_TRUE(layout.can_limit("memory"));
  EXPECT_FALSE(layout.can_limit("pids"));
}

TEST(CgroupLayoutTest, OptionalMountinfoFieldsAreSkipped) {
  CgroupLayout layout = parse_cgroup_mounts(
      "30 23 0:26 / /cg rw shared:1 master:2 propagate_from:3 - cgroup2 x rw\n");
  EXPECT_EQ(layout.unified, "/cg");
}

TEST(CgroupLayoutTest, AHostWithoutCgroupsLimitsNothing) {
  for (const char* text :
       {"", "\n\n", "garbage", "1 2 3 - cgroup", "1 2 0:1 / /x rw - cgroup2\n"}) {
    CgroupLayout layout = parse_cgroup_mounts(text);
    EXPECT_EQ(layout.unified, "") << text;
    EXPECT_TRUE(layout.v1.empty()) << text;
    EXPECT_FALSE(layout.can_limit("memory")) << text;
  }
}

TEST(CgroupLayoutTest, DamagedMountinfoDoesNotCrashTheParser) {
  std::mt19937 random(5);
  for (int round = 0; round < 2'000; ++round) {
    std::string text = kHybrid;
    for (int i = 0; i < 20; ++i) text[random() % text.size()] = static_cast<char>(random());
    text.resize(random() % text.size());
    (void)parse_cgroup_mounts(text);
  }
}

std::vector<std::string> written(const CgroupLayout& layout, const CgroupLimits& limits) {
  std::vector<std::string> lines;
  for (const LimitSetting& limit : limit_settings(layout, limits))
    lines.push_back(limit.controller + ": " + limit.file + "=" + limit.value);
  return lines;
}

TEST(CgroupLimitsTest, BothCgroupVersionsGetTheSameLimitsInTheirOwnFiles) {
  CgroupLimits all{.memory_bytes = 1U << 30U, .pids = 64, .cpus = 1.5};
  using Lines = std::vector<std::string>;
  EXPECT_EQ(
      written(parse_cgroup_mounts(kPureV2), all),
      (Lines{"memory: memory.max=1073741824", "pids: pids.max=64", "cpu: cpu.max=150000 100000"}));
  EXPECT_EQ(written(parse_cgroup_mounts(kHybrid), all),
            (Lines{"memory: memory.limit_in_bytes=1073741824", "pids: pids.max=64",
                   "cpu: cpu.cfs_quota_us=150000"}));
  EXPECT_EQ(written(parse_cgroup_mounts(kHybrid), {.pids = 1}), Lines{"pids: pids.max=1"});
  EXPECT_EQ(written(parse_cgroup_mounts(kHybrid), {}), Lines{});
}

// Plain directories have no control files, like groups without enabled controllers.
TEST(CgroupLimitsTest, AControllerThatIsNotDelegatedIsAnErrorAndLeavesNoGroup) {
  test::TempDir tree;
  CgroupLayout layout{.unified = tree.path(), .v1 = {}, .unified_controllers = {"memory"}};
  auto group = Cgroup::create(layout, "k-test", {.memory_bytes = 1U << 30U});
  ASSERT_FALSE(group.ok());
  EXPECT_EQ(group.error().code, ErrorCode::kUnsupported);
  EXPECT_TRUE(group.error().message.starts_with(
      "this host cannot limit memory: the memory controller is not delegated: "))
      << group.error().message;
  EXPECT_NE(group.error().hint.find("leave the limit out"), std::string::npos);
  ASSERT_OK_AND_ASSIGN(std::vector<std::string> left, list_directory(tree.path()));
  EXPECT_TRUE(left.empty());
}

TEST(CgroupLimitsTest, NoControllerIsEnabledForAGroupWithoutLimits) {
  test::TempDir tree;
  ASSERT_OK(write_file(tree / "cgroup.subtree_control", ""));
  CgroupLayout layout{.unified = tree.path(), .v1 = {}, .unified_controllers = {"memory", "cpu"}};
  ASSERT_OK_AND_ASSIGN(Cgroup group, Cgroup::create(layout, "k-test", {}));
  EXPECT_EQ(read_file(tree / "cgroup.subtree_control").value(), "");
  ASSERT_OK(group.remove(Deadline::after(seconds(1))));
}

TEST(CgroupTest, AGroupThatWasNeverMadeIsEmpty) {
  Cgroup none = Cgroup::find(parse_cgroup_mounts(kHybrid), "nobody-has-this-name");
  EXPECT_TRUE(none.directories().empty());
  EXPECT_TRUE(none.procs_files().empty());
  EXPECT_TRUE(none.processes().empty());
  EXPECT_TRUE(none.remove(Deadline::after(seconds(1))).ok());
}

}  // namespace
}  // namespace sf::os
