#include "os/host_info.h"

#include <gtest/gtest.h>

namespace sf::os {
namespace {

TEST(KernelVersionTest, KernelReleasesOfDistributionsAreParsed) {
  EXPECT_EQ(parse_kernel_version("6.18.44-fc-v445"), (KernelVersion{6, 18}));
  EXPECT_EQ(parse_kernel_version("5.10.0-28-amd64"), (KernelVersion{5, 10}));
  EXPECT_EQ(parse_kernel_version("7.0-rc1"), (KernelVersion{7, 0}));
}

TEST(KernelVersionTest, MinorNumbersAreComparedAsNumbers) {
  EXPECT_LT((KernelVersion{5, 9}), (KernelVersion{5, 10}));
}

TEST(KernelVersionTest, MalformedVersionsAreRefused) {
  for (const char* text : {"", "6", "six.one", ".5", "6."})
    EXPECT_FALSE(parse_kernel_version(text)) << text;
}

TEST(CapabilityTest, EffectiveCapabilitiesAreNamed) {
  auto held = parse_effective_capabilities(
      "Name:\tx\nCapPrm:\tffffffffffffffff\nCapEff:\t0000000000200001\nCapBnd:"
      "\tffffffffffffffff\n");
  EXPECT_EQ(held, (CapabilitySet{"chown", "sys_admin"}));
}

TEST(CapabilityTest, AnOlderKernelsFullSetAndAMissingLineAreAccepted) {
  EXPECT_EQ(parse_effective_capabilities("Name:\tx\nCapEff:\t000001ffffffffff\n"),
            all_capabilities());
  EXPECT_TRUE(parse_effective_capabilities("Name:\tx\n").empty());
}

TEST(UserMapTest, OnlyTheHostsOwnNamespaceMapsEveryUserToItself) {
  EXPECT_TRUE(maps_all_users("         0          0 4294967295\n"));
  EXPECT_FALSE(maps_all_users("         0       1000          1\n"));
  EXPECT_FALSE(maps_all_users("         0     100000 4294967295\n"));
  EXPECT_FALSE(maps_all_users(""));
}

TEST(ProgramSearchTest, SystemDirectoriesAreSearchedEvenWhenPathIsEmpty) {
  auto shell = find_program("sh", "");
  ASSERT_TRUE(shell);
  EXPECT_TRUE(is_executable(*shell));
  EXPECT_FALSE(find_program("no-such-program-here", "/usr/bin:::relative"));
}

TEST(ProgramSearchTest, DirectoriesAreNotPrograms) {
  EXPECT_FALSE(is_executable("/usr"));
  EXPECT_FALSE(is_readable("/usr"));
  EXPECT_TRUE(is_readable("/proc/self/status"));
  EXPECT_FALSE(is_readable("/no/such/file"));
}

TEST(BootIdTest, BootIdIsStableAndComplete) {
  EXPECT_EQ(boot_id().size(), 36U);
  EXPECT_EQ(boot_id(), boot_id());
}

TEST(DirectoryFactsTest, AMissingDirectoryIsJudgedByItsNearestAncestor) {
  auto facts = look_at_directory("/proc/self/no/such/place/");
  ASSERT_TRUE(facts) << facts.error().message;
  EXPECT_EQ(facts->existing, "/proc/self");
}

TEST(DirectoryFactsTest, APathThroughAFileIsAnError) {
  auto facts = look_at_directory("/proc/self/status/store");
  ASSERT_FALSE(facts);
  EXPECT_EQ(facts.error().os_errno, ENOTDIR);
}

}  // namespace
}  // namespace sf::os
