#include "shell/user_lookup.h"

#include <gtest/gtest.h>

#include <random>

#include "testing/matchers.h"

namespace sf::waypoint {
namespace {

const std::string kPasswd =
    "root:x:0:0:root:/root:/bin/bash\n"
    "daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\n"
    "ada:x:1000:1001:Ada,,,:/home/ada:/bin/zsh\n"
    "broken line\n"
    "nouid:x::5::/:\n"
    "last:x:7:7::/home/last";
const std::string kGroup =
    "root:x:0:\n"
    "sudo:x:27:bob,ada\n"
    "ada:x:1001:ada\n"
    "adam:x:1002:adam\n"
    "docker:x:999:ada";

TEST(UserLookupTest, UserNameYieldsHomeAndGroups) {
  ASSERT_OK_AND_ASSIGN(User user, find_user("ada", kPasswd, kGroup));
  EXPECT_EQ(user.name, "ada");
  EXPECT_EQ(user.home, "/home/ada");
  EXPECT_EQ(user.credentials.uid, 1000U);
  EXPECT_EQ(user.credentials.gid, 1001U);
  EXPECT_EQ(user.credentials.groups, (std::vector<gid_t>{1001, 27, 999}));
}

TEST(UserLookupTest, UidYieldsItsName) {
  ASSERT_OK_AND_ASSIGN(User user, find_user("1000", kPasswd, kGroup));
  EXPECT_EQ(user.name, "ada");
  EXPECT_EQ(user.credentials.groups.size(), 3U);
}

TEST(UserLookupTest, LastLineWithoutLineEndIsRead) {
  ASSERT_OK_AND_ASSIGN(User user, find_user("last", kPasswd, kGroup));
  EXPECT_EQ(user.home, "/home/last");
}

TEST(UserLookupTest, UidWithoutAnEntryIsValid) {
  ASSERT_OK_AND_ASSIGN(User user, find_user("4242", kPasswd, kGroup));
  EXPECT_EQ(user.name, "4242");
  EXPECT_EQ(user.home, "/");
  EXPECT_EQ(user.credentials.uid, 4242U);
  EXPECT_EQ(user.credentials.gid, 4242U);
  EXPECT_EQ(user.credentials.groups, (std::vector<gid_t>{4242}));
}

TEST(UserLookupTest, UnknownNameIsAnErrorWithAHint) {
  for (const char* wanted : {"bob", "", "-1", "+5", "5x", "0x10", " 5", "ada ", "99999999999"}) {
    auto user = find_user(wanted, kPasswd, kGroup);
    ASSERT_FALSE(user.ok()) << wanted;
    EXPECT_EQ(user.error().code, ErrorCode::kInvalidArgument);
    EXPECT_FALSE(user.error().hint.empty());
  }
}

TEST(UserLookupTest, RootExistsWithoutPasswd) {
  ASSERT_OK_AND_ASSIGN(User root, find_user("root", "", ""));
  EXPECT_EQ(root.home, "/root");
  EXPECT_EQ(root.credentials.uid, 0U);
}

TEST(UserLookupTest, LinesWithoutNumericIdsAreSkipped) {
  EXPECT_FALSE(find_user("nouid", kPasswd, kGroup).ok());
  EXPECT_FALSE(find_user("broken line", kPasswd, kGroup).ok());
}

// setresuid(-1) means "no change", so the process would stay root.
TEST(UserLookupTest, UidThatMeansNoChangeIsRefused) {
  EXPECT_FALSE(find_user("4294967295", "", "").ok());
  EXPECT_FALSE(find_user("evil", "evil:x:4294967295:4294967295::/:/bin/sh\n", "").ok());
}

TEST(UserLookupTest, DamagedFilesNeverCrashTheParser) {
  std::mt19937 random(9);
  for (int round = 0; round < 2'000; ++round) {
    std::string passwd = kPasswd;
    std::string group = kGroup;
    for (int i = 0; i < 10; ++i) {
      passwd[random() % passwd.size()] = static_cast<char>(random());
      group[random() % group.size()] = static_cast<char>(random());
    }
    (void)find_user("ada", passwd, group).ok();
  }
}

}  // namespace
}  // namespace sf::waypoint
