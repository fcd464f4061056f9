#include "engine/native/ptrace/context_switch_counts.h"

#include <gtest/gtest.h>

namespace sf::waypoint::native {
namespace {

std::string status(const std::string& state, long waits) {
  return "Name:\tsh\nUmask:\t0022\nState:\t" + state + "\nTgid:\t7\nvoluntary_ctxt_switches:\t" +
         std::to_string(waits) + "\nnonvoluntary_ctxt_switches:\t99\n";
}

TEST(ContextSwitchCountsTest, WaitingThreadsAreCounted) {
  EXPECT_EQ(waits_in(status("S (sleeping)", 12)), 12);
  EXPECT_EQ(waits_in(status("t (tracing stop)", 13)), 13);
  EXPECT_EQ(waits_in(status("T (stopped)", 0)), 0);
}

TEST(ContextSwitchCountsTest, RunningThreadsAreNotCounted) {
  EXPECT_EQ(waits_in(status("R (running)", 12)), std::nullopt);
  EXPECT_EQ(waits_in(status("D (disk sleep)", 12)), std::nullopt);
  EXPECT_EQ(waits_in("Name:\tsh\n"), std::nullopt);
}

}  // namespace
}  // namespace sf::waypoint::native
