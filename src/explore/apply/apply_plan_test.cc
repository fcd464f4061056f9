#include "explore/apply/apply_plan.h"

#include <gtest/gtest.h>

namespace sf::explore {
namespace {

MaybeFile file(const std::string& content, mode_t mode = 0644) { return FileState{content, mode}; }

ApplyKind kind(MaybeFile before, MaybeFile wanted, MaybeFile host) {
  return decide("f", std::move(before), std::move(wanted), std::move(host)).kind;
}

TEST(ApplyPlanTest, UnchangedHostFilesMayBeChanged) {
  EXPECT_EQ(kind(file("a"), file("b"), file("a")), ApplyKind::kWrite);
  EXPECT_EQ(kind({}, file("b"), {}), ApplyKind::kWrite);
  EXPECT_EQ(kind(file("a"), {}, file("a")), ApplyKind::kRemove);
}

TEST(ApplyPlanTest, FilesThatAreAlreadyAsWantedAreSkipped) {
  EXPECT_EQ(kind(file("a"), file("b"), file("b")), ApplyKind::kNothing);
  EXPECT_EQ(kind(file("a"), {}, {}), ApplyKind::kNothing);
  EXPECT_EQ(kind(file("a"), file("a", 0755), file("a")), ApplyKind::kWrite) << "the mode";
}

TEST(ApplyPlanTest, HostFilesThatWereChangedAreConflicts) {
  EXPECT_EQ(kind(file("a"), file("b"), file("c")), ApplyKind::kConflict);
  EXPECT_EQ(kind({}, file("b"), file("c")), ApplyKind::kConflict);
  EXPECT_EQ(kind(file("a"), file("b"), {}), ApplyKind::kConflict);
  EXPECT_EQ(kind(file("a"), {}, file("c")), ApplyKind::kConflict);
}

TEST(ApplyPlanTest, PatternsSelectAndExcludePaths) {
  EXPECT_TRUE(is_selected("src/a.c", {}));
  EXPECT_TRUE(is_selected("src/a.c", {"*.c"}));
  EXPECT_TRUE(is_selected("src/a.c", {"src"}));
  EXPECT_FALSE(is_selected("src/a.c", {"*.h"}));
  EXPECT_FALSE(is_selected("src/a.c", {"!*.c"}));
  EXPECT_TRUE(is_selected("src/a.h", {"!*.c"}));
  EXPECT_FALSE(is_selected("src/a.c", {"src/", "!src/a.c"}));
}

}  // namespace
}  // namespace sf::explore
