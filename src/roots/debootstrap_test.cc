#include "roots/debootstrap.h"

#include <gtest/gtest.h>

#include "testing/matchers.h"

namespace sf::roots {
namespace {

TEST(DebootstrapTest, RequestsWithOptionsOrPathsAreRefused) {
  EXPECT_OK(check_request({"bookworm", {"python3", "g++-12", "libc6.1"}, "http://mirror/debian"}));
  EXPECT_OK(check_request({"sid", {}, ""}));
  EXPECT_FALSE(check_request({"", {}, ""}).ok());
  EXPECT_FALSE(check_request({"--foreign", {}, ""}).ok());
  EXPECT_FALSE(check_request({"../x", {}, ""}).ok());
  EXPECT_FALSE(check_request({"sid", {"a b"}, ""}).ok());
  EXPECT_FALSE(check_request({"sid", {""}, ""}).ok());
  EXPECT_FALSE(check_request({"sid", {}, "--help"}).ok());
}

TEST(DebootstrapTest, EqualRequestsHaveEqualDigests) {
  const std::string digest = digest_of({"sid", {"a", "b"}, "http://m"});
  EXPECT_EQ(digest_of({"sid", {"b", "a", "b"}, "http://m"}), digest);
  EXPECT_NE(digest_of({"sid", {"a"}, "http://m"}), digest);
  EXPECT_NE(digest_of({"trixie", {"a", "b"}, "http://m"}), digest);
  EXPECT_NE(digest_of({"sid", {"a", "b"}, "http://n"}), digest);
}

TEST(DebootstrapTest, MirrorIsTheOneThatAptUses) {
  constexpr const char* kTargets =
      "Debian bookworm-security http://security/\n"
      "Debian bookworm http://main/debian/\n"
      "Other trixie http://other/\n";
  auto chosen = [&](const char* suite) {
    auto found = choose_mirror(kTargets, suite);
    return found ? *found : "none";
  };
  EXPECT_EQ(chosen("bookworm"), "http://main/debian/");
  EXPECT_EQ(chosen("trixie"), "http://other/");
  EXPECT_EQ(chosen("sid"), "http://main/debian/");
  EXPECT_FALSE(choose_mirror("", "sid").ok());
  EXPECT_FALSE(choose_mirror("Debian\nx y z w\n", "sid").ok());
}

TEST(DebootstrapTest, StepsAreParsedFromTheOutput) {
  EXPECT_EQ(step_in_line("I: Retrieving bash 5.2"), "Retrieving bash 5.2");
  EXPECT_EQ(step_in_line("W: something"), "");
  EXPECT_EQ(step_in_line(""), "");
}

}  // namespace
}  // namespace sf::roots
