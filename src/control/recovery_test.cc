#include "control/recovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/matchers.h"

namespace sf::control {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

BranchTree session(const std::string& id, const std::string& ref, const std::string& handle) {
  SessionImage image;
  image.session.id = SessionId(id);
  image.nodes = {{.id = NodeId("n0"), .physical = PhysicalState{.ref = PhysicalRef(ref)}},
                 {.id = NodeId("n1"), .parent = NodeId("n0")}};
  image.branches = {{.id = BranchId("main"), .node = NodeId("n1"), .handle = BranchHandle(handle)}};
  return BranchTree::from_image(image).value();
}

TEST(RecoveryTest, ObjectsThatNoSessionNamesAreOrphans) {
  BranchTree one = session("one", "p1", "h1");
  BranchTree two = session("two", "p2", "h2");
  Inventory has{.live = {BranchHandle("h1"), BranchHandle("h3"), BranchHandle("h2")},
                .physical = {PhysicalRef("p3"), PhysicalRef("p1"), PhysicalRef("p2")}};
  Orphans orphans = find_orphans({&one, &two}, has);
  EXPECT_THAT(orphans.branches, ElementsAre(BranchHandle("h3")));
  EXPECT_THAT(orphans.physical, ElementsAre(PhysicalRef("p3")));
}

TEST(RecoveryTest, WithoutSessionsEverythingIsAnOrphan) {
  Orphans orphans = find_orphans({}, {.live = {BranchHandle("h")}, .physical = {PhysicalRef("p")}});
  EXPECT_EQ(orphans.branches.size(), 1U);
  EXPECT_EQ(orphans.physical.size(), 1U);
}

TEST(RecoveryTest, HandleOfALostBranchIsNotAnOrphan) {
  BranchTree one = session("one", "p1", "h1");
  ASSERT_OK(one.apply(edit::LoseBranch{BranchId("main")}));
  EXPECT_THAT(find_orphans({&one}, {.live = {BranchHandle("h1")}}).branches, IsEmpty());
}

TEST(RecoveryTest, CompleteSessionHasNoMissingParts) {
  BranchTree one = session("one", "p1", "h1");
  EXPECT_THAT(missing_parts(one, {.live = {BranchHandle("h1")}, .physical = {PhysicalRef("p1")}}),
              IsEmpty());
}

TEST(RecoveryTest, MissingBranchesAreLostAndMissingSnapshotsMakeNodesVirtual) {
  BranchTree one = session("one", "p1", "h1");
  for (const Edit& edit : missing_parts(one, {})) ASSERT_OK(one.apply(edit));
  EXPECT_FALSE(one.find_branch(BranchId("main"))->alive);
  EXPECT_FALSE(one.find(NodeId("n0"))->is_physical());
  EXPECT_THAT(missing_parts(one, {}), IsEmpty()) << "reported once";
}

}  // namespace
}  // namespace sf::control
