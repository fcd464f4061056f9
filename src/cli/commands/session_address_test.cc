#include "cli/commands/session_address.h"

#include <gtest/gtest.h>

#include "testing/matchers.h"

namespace sf::cli {
namespace {

TEST(SessionAddressTest, ASessionAloneMeansItsMainBranch) {
  ASSERT_OK_AND_ASSIGN(SessionAddress address, parse_address("work"));
  EXPECT_EQ(address.branch_path(), "/v1/sessions/work/branches/main");
  EXPECT_FALSE(address.names_branch);
}

TEST(SessionAddressTest, ABranchFollowsASlash) {
  ASSERT_OK_AND_ASSIGN(SessionAddress address, parse_address("work/b1"));
  EXPECT_EQ(address.branch_path(), "/v1/sessions/work/branches/b1");
  EXPECT_TRUE(address.names_branch);
}

TEST(SessionAddressTest, NamesAreEscapedInThePath) {
  ASSERT_OK_AND_ASSIGN(SessionAddress address, parse_address("..?a#b%"));
  EXPECT_EQ(address.session_path(), "/v1/sessions/%2E%2E%3Fa%23b%25");
}

TEST(SessionAddressTest, MalformedAddressesAreRefused) {
  for (const char* text : {"", "/", "a/", "/b", "a/b/c"})
    EXPECT_FALSE(parse_address(text).ok()) << text;
}

}  // namespace
}  // namespace sf::cli
