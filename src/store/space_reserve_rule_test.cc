#include "store/space_reserve_rule.h"

#include <gtest/gtest.h>

namespace sf::store {
namespace {

using namespace control;  // NOLINT: this file is about nothing else

Change change_of(std::vector<Edit> edits) {
  Change change;
  change.edits = std::move(edits);
  return change;
}

LogEntry command(std::size_t bytes) { return {.text = std::string(bytes, 'x')}; }

TEST(ReserveRuleTest, RemovalsMayUseAllOfTheReserve) {
  EXPECT_EQ(reserve_use(change_of({edit::EndSession{}})), ReserveUse::kAll);
  EXPECT_EQ(reserve_use(change_of({edit::RemoveBranch{}, edit::RemoveNodes{}})), ReserveUse::kAll);
  EXPECT_EQ(reserve_use(change_of({edit::LoseBranch{}, edit::SetPhysical{}})), ReserveUse::kAll);
}

TEST(ReserveRuleTest, SmallCommandsAndRestoresMayUseHalfOfTheReserve) {
  EXPECT_EQ(reserve_use(change_of({edit::BeginEntry{{}, command(100)}})), ReserveUse::kHalf);
  EXPECT_EQ(reserve_use(change_of({edit::FinishEntry{{}, 0, command(100)}})), ReserveUse::kHalf);
  EXPECT_EQ(reserve_use(change_of({edit::MoveBranch{}})), ReserveUse::kHalf);
}

TEST(ReserveRuleTest, ChangesThatGrowTheCatalogMayUseNoneOfTheReserve) {
  EXPECT_EQ(reserve_use(change_of({edit::AddNode{}})), ReserveUse::kNone);
  EXPECT_EQ(reserve_use(change_of({edit::BeginEntry{{}, command(1U << 20U)}})), ReserveUse::kNone);
  EXPECT_EQ(reserve_use(change_of({edit::SetPhysical{{}, PhysicalState{}}})), ReserveUse::kNone);
  EXPECT_EQ(reserve_use(change_of({edit::RemoveBranch{}, edit::AddNode{}})), ReserveUse::kNone);
}

}  // namespace
}  // namespace sf::store
