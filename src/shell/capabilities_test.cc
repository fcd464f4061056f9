#include "shell/capabilities.h"

#include <gtest/gtest.h>
#include <linux/capability.h>

#include "testing/matchers.h"

namespace sf::waypoint {
namespace {

std::uint64_t bit(unsigned number) { return 1ULL << number; }

TEST(CapabilitiesTest, NamesHaveTheKernelsCapabilityNumbers) {
  const std::pair<const char*, unsigned> known[] = {{"chown", CAP_CHOWN},
                                                    {"setuid", CAP_SETUID},
                                                    {"net_admin", CAP_NET_ADMIN},
                                                    {"sys_ptrace", CAP_SYS_PTRACE},
                                                    {"sys_admin", CAP_SYS_ADMIN},
                                                    {"mknod", CAP_MKNOD},
                                                    {"setfcap", CAP_SETFCAP},
                                                    {"syslog", CAP_SYSLOG},
                                                    {"bpf", CAP_BPF},
                                                    {"checkpoint_restore", CAP_CHECKPOINT_RESTORE}};
  for (const auto& [name, number] : known) {
    ASSERT_OK_AND_ASSIGN(std::uint64_t set, with_capabilities(0, {name}));
    EXPECT_EQ(set, bit(number)) << name;
  }
}

TEST(CapabilitiesTest, ContainerSetHasNoDangerousCapability) {
  std::uint64_t set = container_capabilities();
  EXPECT_NE(set & bit(CAP_CHOWN), 0U);
  EXPECT_NE(set & bit(CAP_KILL), 0U);
  for (int number : {CAP_SYS_ADMIN, CAP_MKNOD, CAP_SYS_PTRACE, CAP_SYS_MODULE, CAP_SYS_RAWIO,
                     CAP_NET_ADMIN, CAP_DAC_READ_SEARCH, CAP_SYS_BOOT, CAP_BPF})
    EXPECT_EQ(set & bit(static_cast<unsigned>(number)), 0U) << number;
  EXPECT_EQ(__builtin_popcountll(set), 13);
}

TEST(CapabilitiesTest, NamesAreAcceptedWithOrWithoutPrefixInAnyCase) {
  for (const char* name : {"sys_admin", "SYS_ADMIN", "CAP_SYS_ADMIN", "cap_sys_admin"}) {
    ASSERT_OK_AND_ASSIGN(std::uint64_t set, with_capabilities(bit(CAP_KILL), {name}));
    EXPECT_EQ(set, bit(CAP_KILL) | bit(CAP_SYS_ADMIN)) << name;
  }
}

TEST(CapabilitiesTest, AllMeansEveryKnownCapability) {
  ASSERT_OK_AND_ASSIGN(std::uint64_t all, with_capabilities(0, {"ALL"}));
  EXPECT_EQ(all, bit(CAP_LAST_CAP + 1) - 1);
}

TEST(CapabilitiesTest, UnknownNameIsAnErrorThatListsTheKnownNames) {
  for (const char* name : {"", "cap_", "sysadmin", "all,kill"}) {
    auto set = with_capabilities(0, {"kill", name});
    ASSERT_FALSE(set.ok()) << name;
    EXPECT_EQ(set.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(set.error().hint.find("checkpoint_restore"), std::string::npos);
  }
  EXPECT_FALSE(with_capabilities(0, {"all", "nonsense"}).ok());
}

}  // namespace
}  // namespace sf::waypoint
