#include "waypoint/store_sweep.h"

#include <gtest/gtest.h>

#include "testing/matchers.h"
#include "testing/temp_dir.h"

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

TEST(UndoneRenamesTest, UnitThatIsBackUnderTheNameOfItsKeeperBecomesTheCheckpointsAgain) {
  const std::map<CheckpointId, std::string> ahead = {
      {CheckpointId("c-1"), "k-1"}, {CheckpointId("c-2"), "k-1"}, {CheckpointId("c-3"), "k-2"}};
  const UnitRenames none;
  EXPECT_EQ(undone_renames({"sealed-c-1", "sealed-c-2", "sealed-c-3"}, ahead), none);
  EXPECT_EQ(undone_renames({"sealed-c-1", "sealed-c-2", "sealed-c-3", "ahead-k-1"}, ahead), none)
      << "it is the next one's";
  EXPECT_EQ(undone_renames({"sealed-c-1", "ahead-k-1", "sealed-c-3"}, ahead),
            (UnitRenames{{"ahead-k-1", "sealed-c-2"}}));
  EXPECT_EQ(undone_renames({"sealed-c-1", "sealed-c-2", "ahead-k-3"}, ahead), none)
      << "lost, and not by a rename";
}

TEST(RedoRenamesTest, CheckpointWhoseUnitLostItsNameIsWhole) {
  test::TempDir dir;
  ASSERT_OK_AND_ASSIGN(auto units, UnitStore::open(dir.path(), "copy", 0));
  CheckpointId id;
  {
    ASSERT_OK_AND_ASSIGN(CheckpointStore store, CheckpointStore::open(dir.path(), *units));
    ASSERT_OK_AND_ASSIGN(CheckpointDraft draft, store.begin());
    id = draft.id();
    ASSERT_OK(units->create("ahead-k-1"));  // as it is before the hand-over
    Manifest manifest;
    manifest.info.id = id;
    manifest.info.branch = BranchId("b-1");
    manifest.ahead_keeper = "k-1";
    ASSERT_OK(store.publish(std::move(draft), std::move(manifest)));
  }
  ASSERT_OK_AND_ASSIGN(CheckpointStore store, CheckpointStore::open(dir.path(), *units));
  ASSERT_OK(redo_renames(*units, store));
  ASSERT_OK(sweep_units(*units, {}, store));
  ASSERT_OK_AND_ASSIGN(std::vector<std::string> left, units->list());
  EXPECT_EQ(left, std::vector<std::string>{sealed_unit(id)});
}

TEST(UnitIsNeededTest, TemplatesAreAlwaysNeeded) { EXPECT_TRUE(is_needed("template-anything")); }

TEST(UnitIsNeededTest, DraftsAndStrangersAreNot) {
  for (const char* unit : {"", "draft-c-1", "c-1", "LIVE-k-1", "xlive-k-1"})
    EXPECT_FALSE(is_needed(unit)) << unit;
}

}  // namespace
}  // namespace sf::waypoint
