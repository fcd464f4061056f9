#include "store/operation_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sf::store {
namespace {

using namespace control;  // NOLINT: this file is about nothing else
using ::testing::EndsWith;

const BranchId kMain{"main"};

OperationSummary of(std::vector<Edit> edits) {
  return summarize({.operation = "any", .edits = std::move(edits)});
}

TEST(OperationSummaryTest, SnapshotNamesItsNodeItsBranchItsKindAndItsBytes) {
  Node node{.id = NodeId("n7"),
            .name = "before",
            .origin = kMain,
            .physical = PhysicalState{.bytes = 4096}};
  OperationSummary summary =
      of({edit::AddNode{node}, edit::MoveBranch{kMain, node.id, BranchHandle("h")}});
  EXPECT_EQ(summary.branch, kMain);
  EXPECT_EQ(summary.node, NodeId("n7"));
  EXPECT_EQ(summary.bytes, 4096U);
  EXPECT_EQ(summary.detail, "physical, before");
}

TEST(OperationSummaryTest, CommandIsListedWithItsOutcome) {
  LogEntry entry{.text = "make test", .exit_code = 2};
  EXPECT_EQ(of({edit::FinishEntry{kMain, 0, entry}}).detail, "make test, exit code 2");
  entry.timed_out = true;
  EXPECT_EQ(of({edit::FinishEntry{kMain, 0, entry}}).detail, "make test, timed out");
  entry = {.text = "make test"};
  EXPECT_EQ(of({edit::FinishEntry{kMain, 0, entry}}).detail, "make test");
  EXPECT_EQ(of({edit::BeginEntry{kMain, entry}}).branch, kMain);
}

TEST(OperationSummaryTest, CleanupNamesTheTopOfTheSubtreeAndItsSize) {
  OperationSummary summary = of({edit::RemoveBranch{BranchId("b1")},
                                 edit::RemoveNodes{{NodeId("n9"), NodeId("n8"), NodeId("n5")}}});
  EXPECT_EQ(summary.node, NodeId("n5"));
  EXPECT_EQ(summary.branch, BranchId("b1"));
  EXPECT_EQ(summary.detail, "end of b1, 3 nodes");
}

TEST(OperationSummaryTest, ForkListsItsBranches) {
  OperationSummary summary = of({edit::AddBranch{{.id = BranchId("b1"), .node = NodeId("n1")}},
                                 edit::AddBranch{{.id = BranchId("b2"), .node = NodeId("n1")}}});
  EXPECT_EQ(summary.detail, "b1, b2");
  EXPECT_EQ(summary.node, NodeId("n1"));
}

TEST(OperationSummaryTest, DetailsAreBounded) {
  std::vector<Edit> edits;
  for (int i = 0; i < 1000; ++i)
    edits.emplace_back(edit::AddBranch{{.id = BranchId("b" + std::to_string(i))}});
  OperationSummary summary = of(std::move(edits));
  EXPECT_EQ(summary.detail.size(), kMaxDetail);
  EXPECT_THAT(summary.detail, EndsWith("..."));
}

}  // namespace
}  // namespace sf::store
