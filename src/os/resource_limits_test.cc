#include "os/resource_limits.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "testing/matchers.h"

namespace sf::os {
namespace {

// Runs `check` in a child, so that the limits of this process do not change.
template <typename Check>
int in_child(Check check) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(check() ? 0 : 1);
  int status = -1;
  ::waitpid(child, &status, 0);
  return status;
}

TEST(ResourceLimitsTest, LimitsSurviveConversionToText) {
  const ResourceLimits now = ResourceLimits::of_this_process();
  auto again = ResourceLimits::parse(now.text());
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(*again, now);
}

TEST(ResourceLimitsTest, MalformedTextIsRefused) {
  const std::string good = ResourceLimits::of_this_process().text();
  const std::string rest = good.substr(good.find(','));
  EXPECT_TRUE(ResourceLimits::parse("5:6" + rest).has_value());
  EXPECT_TRUE(ResourceLimits::parse("5:-" + rest).has_value());
  for (const std::string first : {"6:5", "-:5", "5", ":", "5:x", "-5:6", "5:6:7", ""})
    EXPECT_FALSE(ResourceLimits::parse(first + rest).has_value()) << first;
  EXPECT_FALSE(ResourceLimits::parse("").has_value());
  EXPECT_FALSE(ResourceLimits::parse(good + ",1:1").has_value());
}

TEST(ResourceLimitsTest, LimitsOfAnotherProcessAreApplied) {
  const ResourceLimits wanted = ResourceLimits::of_this_process();
  EXPECT_EQ(in_child([&] {
              rlimit before{};
              ::getrlimit(RLIMIT_NOFILE, &before);
              const rlimit lower{64, before.rlim_max};
              if (::setrlimit(RLIMIT_NOFILE, &lower) != 0) return false;
              if (ResourceLimits::of_this_process() == wanted) return false;
              wanted.apply();
              return ResourceLimits::of_this_process() == wanted;
            }),
            0);
}

}  // namespace
}  // namespace sf::os
