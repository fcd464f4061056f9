#include "engine/native/memory/guard_regions.h"

#include <gtest/gtest.h>

namespace sf::waypoint::native {
namespace {

using Ranges = std::vector<PageRange>;

TEST(NativeGuardsTest, GuardedRangesAreCutOut) {
  Ranges guards = {{20, 30}, {40, 45}, {90, 99}};
  EXPECT_EQ(without_guards({{0, 10}}, guards), (Ranges{{0, 10}}));
  EXPECT_EQ(without_guards({{10, 50}}, guards), (Ranges{{10, 20}, {30, 40}, {45, 50}}));
  EXPECT_EQ(without_guards({{20, 30}, {41, 44}}, guards), Ranges{});
  EXPECT_EQ(without_guards({{25, 35}, {42, 60}, {80, 95}}, guards),
            (Ranges{{30, 35}, {45, 60}, {80, 90}}));
  EXPECT_EQ(without_guards({{22, 24}, {26, 33}}, guards), (Ranges{{30, 33}}));
}

}  // namespace
}  // namespace sf::waypoint::native
