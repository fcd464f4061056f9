#include "waypoint/store_sweep.h"

#include <gtest/gtest.h>

namespace sf::waypoint {
namespace {

const std::set<std::string> kKeepers = {"k-1", "k-2"};
const std::set<std::string> kCheckpoints = {"c-1", "c-2"};

bool is_needed(const std::string& unit) { return unit_is_needed(unit, kKeepers, kCheckpoints); }

TEST(UnitIsNeededTest, ALiveUnitIsNeededAsLongAsItsKeeper) {
  EXPECT_TRUE(is_needed("live-k-1"));
  EXPECT_FALSE(is_needed("live-k-3"));
  EXPECT_FALSE(is_needed("live-c-1")) << "a checkpoint of that name keeps no live unit";
  EXPECT_FALSE(is_needed("live-"));
}

TEST(UnitIsNeededTest, ASealedUnitIsNeededAsLongAsItsCheckpoint) {
  EXPECT_TRUE(is_needed("sealed-c-1"));
  EXPECT_FALSE(is_needed("sealed-c-3"));
  EXPECT_FALSE(is_needed("sealed-k-1"));
  EXPECT_EQ(sealed_unit(CheckpointId("c-1")), "sealed-c-1");
}

TEST(UnitIsNeededTest, WhatWasCapturedAheadIsNeededAsLongAsItsKeeper) {
  EXPECT_TRUE(is_needed("ahead-k-1"));
  EXPECT_FALSE(is_needed("ahead-k-3"));
}

TEST(UnitIsNeededTest, TemplatesAreAlwaysNeeded) { EXPECT_TRUE(is_needed("template-anything")); }

TEST(UnitIsNeededTest, DraftsAndStrangersAreNot) {
  for (const char* unit : {"", "draft-c-1", "c-1", "LIVE-k-1", "xlive-k-1"})
    EXPECT_FALSE(is_needed(unit)) << unit;
}

}  // namespace
}  // namespace sf::waypoint
