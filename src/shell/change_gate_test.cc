#include "shell/change_gate.h"

#include <gtest/gtest.h>

#include <type_traits>

namespace sf::waypoint {
namespace {

// Only a gate that says what it discards makes permits.
static_assert(!std::is_default_constructible_v<ChangeGate>);
static_assert(!std::is_copy_constructible_v<ChangeGate>);
static_assert(!std::is_move_constructible_v<ChangeGate>);
static_assert(!std::is_default_constructible_v<ChangePermit>);
static_assert(!std::is_constructible_v<ChangePermit, int>);
static_assert(!std::is_copy_constructible_v<ChangePermit>);
static_assert(!std::is_move_constructible_v<ChangePermit>);
static_assert(!std::is_copy_assignable_v<ChangePermit> && !std::is_move_assignable_v<ChangePermit>);

int discarded_at(const ChangePermit& /*permit*/, const int& discarded) { return discarded; }

TEST(ChangeGateTest, EveryOpeningDiscardsTheCaptureBeforeTheCallBegins) {
  int discarded = 0;
  ChangeGate gate([&] { ++discarded; });
  EXPECT_EQ(discarded_at(gate.open(), discarded), 1);
  EXPECT_EQ(discarded_at(gate.open(), discarded), 2);
}

TEST(ChangeGateTest, GateThatDiscardsNothingHasToBeAskedForByName) {
  ChangeGate gate = ChangeGate::of_agent();
  int discarded = 0;
  EXPECT_EQ(discarded_at(gate.open(), discarded), 0);
  EXPECT_DEATH(ChangeGate{nullptr}, "discard");
}

}  // namespace
}  // namespace sf::waypoint
