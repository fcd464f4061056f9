#include "control/branch_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "control/node_ref.h"
#include "control/restore_plan.h"
#include "testing/matchers.h"

namespace sf::control {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const BranchId kMain{"main"};

LogEntry command(std::string text, microseconds duration = milliseconds(10)) {
  LogEntry entry;
  entry.text = std::move(text);
  entry.duration = duration;
  return entry;
}

PhysicalState state(const std::string& ref, std::uint64_t bytes = 100) {
  return {.ref = PhysicalRef(ref), .bytes = bytes};
}

// n0 (physical) - n1 - n2 - n4
//                   \ n3 (physical) - n5
class BranchTreeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    put(edit::PutSession{{.id = SessionId("s")}});
    add("n0", "", state("p0"));
    add("n1", "n0");
    add("n2", "n1");
    add("n3", "n1", state("p3"));
    add("n4", "n2");
    add("n5", "n3");
    put(edit::AddBranch{{.id = kMain, .node = NodeId("n4")}});
  }
  void put(const Edit& edit) { ASSERT_OK(tree.apply(edit)); }
  void add(const std::string& id, const std::string& parent,
           std::optional<PhysicalState> physical = std::nullopt) {
    Node node{.id = NodeId(id), .parent = NodeId(parent), .physical = std::move(physical)};
    if (!parent.empty()) node.log = {command("to " + id)};
    put(edit::AddNode{node});
  }
  Result<NodeId> at(std::string_view ref) { return resolve(tree, kMain, ref); }
  std::vector<std::string> commands(const std::string& target) {
    Result<RestorePlan> plan = plan_restore(tree, NodeId(target));
    std::vector<std::string> texts;
    for (const ReplayStep& step : plan->steps) texts.push_back(step.entry.text);
    return texts;
  }
  BranchTree tree;
};

TEST_F(BranchTreeTest, PreorderVisitsOldestChildFirst) {
  EXPECT_THAT(tree.preorder(), ElementsAre(NodeId("n0"), NodeId("n1"), NodeId("n2"), NodeId("n4"),
                                           NodeId("n3"), NodeId("n5")));
}

TEST_F(BranchTreeTest, SubtreeListsChildrenBeforeTheirParents) {
  EXPECT_THAT(tree.subtree(NodeId("n3")), ElementsAre(NodeId("n5"), NodeId("n3")));
  EXPECT_EQ(tree.subtree(NodeId("n1")).back(), NodeId("n1"));
  EXPECT_EQ(tree.subtree(NodeId("n1")).size(), 5U);
}

TEST_F(BranchTreeTest, ImageRoundTripGivesTheSameTree) {
  put(edit::NameNode{NodeId("n2"), "here"});
  put(edit::CommandDiverged{7});
  put(edit::BeginEntry{kMain, command("x")});
  ASSERT_OK_AND_ASSIGN(BranchTree again, BranchTree::from_image(tree.image()));
  EXPECT_EQ(again.image(), tree.image());
  EXPECT_EQ(again.replay_distance(NodeId("n4")).cost, tree.replay_distance(NodeId("n4")).cost);
  EXPECT_EQ(again.physical_bytes(), tree.physical_bytes());
}

TEST_F(BranchTreeTest, InconsistentImageIsCorrupt) {
  const SessionImage good = tree.image();
  SessionImage orphan = good;
  orphan.nodes.erase(orphan.nodes.begin() + 1);
  SessionImage twice = good;
  twice.nodes.push_back(twice.nodes.back());
  SessionImage two_roots = good;
  two_roots.nodes.back().parent = NodeId();
  SessionImage nowhere = good;
  nowhere.branches.front().node = NodeId("n99");
  SessionImage empty = good;
  empty.nodes.clear();
  empty.branches.clear();
  for (const SessionImage& bad : {orphan, twice, two_roots, nowhere, empty}) {
    Result<BranchTree> loaded = BranchTree::from_image(bad);
    ASSERT_FALSE(loaded.ok());
    EXPECT_EQ(loaded.error().code, ErrorCode::kCorrupt);
  }
}

TEST_F(BranchTreeTest, IdsOfRemovedNodesAreNotReused) {
  put(edit::RemoveNodes{{NodeId("n5")}});
  EXPECT_EQ(tree.next_node_id(), NodeId("n6"));
  ASSERT_OK_AND_ASSIGN(BranchTree again, BranchTree::from_image(tree.image()));
  EXPECT_EQ(again.next_node_id(), NodeId("n6"));
}

TEST_F(BranchTreeTest, NodeWithChildrenOrBranchesCannotBeRemoved) {
  EXPECT_FALSE(tree.apply(edit::RemoveNodes{{NodeId("n3")}}).ok());
  EXPECT_FALSE(tree.apply(edit::RemoveNodes{{NodeId("n4")}}).ok());
  EXPECT_FALSE(tree.apply(edit::RemoveNodes{{NodeId("n5"), NodeId("n4")}}).ok());
  EXPECT_EQ(tree.size(), 6U) << "a refused edit changes nothing";
  EXPECT_OK(tree.apply(edit::RemoveNodes{tree.subtree(NodeId("n3"))}));
  EXPECT_EQ(tree.size(), 4U);
}

TEST_F(BranchTreeTest, SharedSnapshotIsNeededUntilItsLastNodeIsRemoved) {
  add("n6", "n3", state("p3"));
  EXPECT_EQ(tree.uses_of(PhysicalRef("p3")), 2U);
  EXPECT_EQ(tree.physical_bytes(), 200U) << "shared bytes count once";
  put(edit::RemoveNodes{{NodeId("n6")}});
  EXPECT_THAT(tree.take_unneeded(), IsEmpty());
  put(edit::RemoveNodes{tree.subtree(NodeId("n3"))});
  EXPECT_THAT(tree.take_unneeded(), ElementsAre(PhysicalRef("p3")));
  EXPECT_THAT(tree.take_unneeded(), IsEmpty()) << "reported once";
  EXPECT_EQ(tree.physical_bytes(), 100U);
}

TEST_F(BranchTreeTest, ReplayDistanceSumsUpToTheNearestPhysicalAncestor) {
  EXPECT_EQ(tree.replay_distance(NodeId("n0")).commands, 0U);
  EXPECT_EQ(tree.replay_distance(NodeId("n4")).commands, 3U);
  EXPECT_EQ(tree.replay_distance(NodeId("n4")).cost, milliseconds(30));
  EXPECT_EQ(tree.replay_distance(NodeId("n5")).nodes, 1U);
}

TEST_F(BranchTreeTest, MakingANodePhysicalShortensTheReplayOfNodesBelow) {
  put(edit::SetPhysical{NodeId("n1"), state("p1")});
  EXPECT_EQ(tree.replay_distance(NodeId("n1")).commands, 0U);
  EXPECT_EQ(tree.replay_distance(NodeId("n4")).commands, 2U);
  EXPECT_EQ(tree.replay_distance(NodeId("n5")).commands, 1U);
  put(edit::SetPhysical{NodeId("n1"), std::nullopt});
  EXPECT_EQ(tree.replay_distance(NodeId("n4")).commands, 3U);
  EXPECT_THAT(tree.take_unneeded(), ElementsAre(PhysicalRef("p1")));
}

TEST_F(BranchTreeTest, APlanReplaysFromTheNearestPhysicalAncestor) {
  EXPECT_THAT(commands("n4"), ElementsAre("to n1", "to n2", "to n4"));
  EXPECT_THAT(commands("n5"), ElementsAre("to n5"));
  EXPECT_THAT(commands("n3"), IsEmpty());
  EXPECT_EQ(plan_restore(tree, NodeId("n5"))->from, PhysicalRef("p3"));
  EXPECT_EQ(plan_restore(tree, NodeId("n4"))->anchor, NodeId("n0"));
  EXPECT_EQ(plan_restore(tree, NodeId("n4"))->replay_cost, milliseconds(30));
}

TEST_F(BranchTreeTest, PlanWithoutPhysicalNodeStartsTheSessionAgain) {
  put(edit::SetPhysical{NodeId("n0"), std::nullopt});
  ASSERT_OK_AND_ASSIGN(RestorePlan plan, plan_restore(tree, NodeId("n2")));
  EXPECT_FALSE(plan.from.has_value());
  EXPECT_EQ(plan.anchor, NodeId("n0"));
  EXPECT_EQ(plan.steps.size(), 2U);
}

TEST_F(BranchTreeTest, PlanFailsAndNamesTheEntryThatCannotBeReplayed) {
  Node typed{.id = NodeId("n6"), .parent = NodeId("n4"), .log = {keys_entry("q")}};
  put(edit::AddNode{typed});
  Result<RestorePlan> plan = plan_restore(tree, NodeId("n6"));
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(plan.error().message, HasSubstr("keys typed"));
}

TEST_F(BranchTreeTest, NamesAreUniqueAndCanBeReusedAfterRemoval) {
  put(edit::NameNode{NodeId("n5"), "good"});
  EXPECT_FALSE(tree.apply(edit::NameNode{NodeId("n2"), "good"}).ok());
  EXPECT_OK(tree.apply(edit::NameNode{NodeId("n5"), "good"})) << "its own name again";
  put(edit::NameNode{NodeId("n5"), "better"});
  EXPECT_EQ(tree.find_named("good"), nullptr);
  put(edit::RemoveNodes{{NodeId("n5")}});
  put(edit::NameNode{NodeId("n2"), "better"});
  EXPECT_EQ(tree.find_named("better")->id, NodeId("n2"));
}

TEST_F(BranchTreeTest, PendingEntriesAreFinishedAndCancelledByIndex) {
  put(edit::BeginEntry{kMain, begun_entry({.command = "a"})});
  put(edit::BeginEntry{kMain, keys_entry("k")});
  EXPECT_TRUE(tree.find_branch(kMain)->pending[0].outcome_unknown);
  put(edit::FinishEntry{kMain, 0, command("a")});
  EXPECT_FALSE(tree.find_branch(kMain)->pending[0].outcome_unknown);
  EXPECT_FALSE(tree.apply(edit::FinishEntry{kMain, 2, command("a")}).ok());
  put(edit::CancelEntry{kMain, 0});
  EXPECT_EQ(tree.find_branch(kMain)->pending.front().kind, EntryKind::kKeys);
}

TEST_F(BranchTreeTest, AMovedBranchIsAliveWithNothingPending) {
  put(edit::BeginEntry{kMain, command("a")});
  put(edit::LoseBranch{kMain});
  EXPECT_FALSE(tree.find_branch(kMain)->alive);
  put(edit::MoveBranch{kMain, NodeId("n3"), BranchHandle("h2")});
  const Branch* main = tree.find_branch(kMain);
  EXPECT_TRUE(main->alive);
  EXPECT_THAT(main->pending, IsEmpty());
  EXPECT_EQ(main->handle, BranchHandle("h2"));
  EXPECT_EQ(tree.standing_on(NodeId("n3")), 1U);
  EXPECT_EQ(tree.standing_on(NodeId("n4")), 0U);
}

TEST_F(BranchTreeTest, OnlyTheNewestDivergedCommandsAreRemembered) {
  put(edit::CommandDiverged{hash_text("date")});
  EXPECT_TRUE(tree.has_diverged("date"));
  EXPECT_FALSE(tree.has_diverged("ls"));
  for (std::uint64_t i = 0; i < BranchTree::kMaxDivergedCommands; ++i)
    put(edit::CommandDiverged{i});
  EXPECT_FALSE(tree.has_diverged("date"));
}

TEST_F(BranchTreeTest, DivergedSequenceOfCommandsIsRecognizedAsAWhole) {
  const std::uint64_t run = extend_run(extend_run(0, hash_text("make")), hash_text("git commit"));
  put(edit::CommandDiverged{run});
  auto log = [](std::vector<std::string> commands) {
    CommandLog made;
    for (std::string& command : commands) made.push_back({.text = std::move(command)});
    return made;
  };
  EXPECT_TRUE(tree.has_diverged(log({"make", "git commit"})));
  EXPECT_TRUE(tree.has_diverged(log({"ls", "make", "git commit", "ls"})));
  EXPECT_FALSE(tree.has_diverged(log({"make"})));
  EXPECT_FALSE(tree.has_diverged(log({"git commit", "make"})));
  EXPECT_FALSE(tree.has_diverged(log({"make", "ls", "git commit"})));
  EXPECT_FALSE(tree.has_diverged(CommandLog()));
  put(edit::CommandDiverged{hash_text("date")});
  EXPECT_TRUE(tree.has_diverged(log({"ls", "date"}))) << "a sequence of one is the command";
}

TEST_F(BranchTreeTest, ReferencesAreIdsNamesAndHeadWithAncestors) {
  put(edit::NameNode{NodeId("n5"), "good-one"});
  EXPECT_EQ(at("n3").value(), NodeId("n3"));
  EXPECT_EQ(at("good-one").value(), NodeId("n5"));
  EXPECT_EQ(at("good-one~1").value(), NodeId("n3"));
  EXPECT_EQ(at("HEAD").value(), NodeId("n4"));
  EXPECT_EQ(at("HEAD~0").value(), NodeId("n4"));
  EXPECT_EQ(at("HEAD~").value(), NodeId("n2"));
  EXPECT_EQ(at("HEAD~3").value(), NodeId("n0"));
  EXPECT_EQ(at("n5~2").value(), NodeId("n1"));
}

TEST_F(BranchTreeTest, UnresolvedReferenceIsNamedInTheMessage) {
  EXPECT_EQ(at("n77").error().code, ErrorCode::kNotFound);
  EXPECT_THAT(at("n77").error().message, HasSubstr("no such node: n77"));
  EXPECT_EQ(at("nobody").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(at("HEAD~4").error().code, ErrorCode::kNotFound);
  EXPECT_THAT(at("HEAD~4").error().describe(), HasSubstr("HEAD has 3 ancestors"));
  EXPECT_EQ(resolve(tree, BranchId("b9"), "HEAD").error().code, ErrorCode::kNotFound);
}

TEST_F(BranchTreeTest, MalformedReferenceIsRefused) {
  for (std::string_view ref :
       {"", "~", "~1", "HEAD~x", "HEAD~-1", "HEAD~1~1", "HEAD~99999999999999", "a/b", "../n1",
        "n1:n2", "head", "HEAD ", "n1,n2"})
    EXPECT_EQ(at(ref).error().code, ErrorCode::kInvalidArgument) << ref;
  EXPECT_EQ(at(std::string(1 << 20, 'x')).error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace sf::control
