#include "control/session_manager.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/matchers.h"
#include "testing/session_world.h"

namespace sf::control {
namespace {

using test::SessionWorld;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const BranchId kMain{"main"};

test::FakeBackendOptions replay_only() {
  test::FakeBackendOptions options;
  options.capabilities.physical_snapshots = false;
  options.capabilities.fingerprints = false;
  return options;
}

test::FakeBackendOptions without_fingerprints() {
  test::FakeBackendOptions options;
  options.capabilities.fingerprints = false;
  return options;
}

TEST(SessionTest, ANewSessionHasMainOnAPhysicalRoot) {
  SessionWorld w("lazy");
  ASSERT_OK(w.build());
  w.session().read([](const BranchTree& tree) {
    EXPECT_EQ(tree.root(), NodeId("n0"));
    EXPECT_TRUE(tree.find(tree.root())->is_physical());
    EXPECT_EQ(tree.find_branch(kMain)->node, tree.root());
    EXPECT_EQ(tree.session().policy, "lazy");
    EXPECT_EQ(tree.session().backend, "fake");
    return 0;
  });
  EXPECT_THAT(w.broken_rules(), IsEmpty());
}

TEST(SessionTest, ARootThatCannotBeCapturedIsStartedAnew) {
  SessionWorld w;
  w.backend.fail_checkpoints(ErrorCode::kUnsupported);
  ASSERT_OK(w.build());
  EXPECT_THAT(w.node(NodeId("n0")).notes["statefork.why_virtual"], HasSubstr("descriptor"));
  ASSERT_OK(w.run("main", "set a 1"));
  NodeId here = w.mark("main");
  ASSERT_OK(w.run("main", "set a 2"));
  ASSERT_OK(w.back("main", here));
  EXPECT_THAT(w.dump("main"), HasSubstr("a=1\n"));
}

TEST(SessionTest, BadIdsNamesAndSizesAreRefusedBeforeAnythingHappens) {
  SessionWorld w;
  ASSERT_OK(w.build());
  EXPECT_FALSE(w.session().snapshot(kMain, {.name = "a/b"}).ok());
  EXPECT_FALSE(w.session().snapshot(kMain, {.notes = {{"", "x"}}}).ok());
  EXPECT_FALSE(
      w.session().exec_command(kMain, {.command = std::string(kMaxCommand + 1, 'x')}).ok());
  EXPECT_FALSE(w.session().exec_command(BranchId("../x"), {.command = "nop"}).ok());
  EXPECT_FALSE(w.session().restore(kMain, "a,b").ok());
  EXPECT_FALSE(w.session().fork(kMain, "HEAD", {.count = 0}).ok());
  EXPECT_FALSE(w.session().fork(kMain, "HEAD", {.count = 1, .names = {BranchId("a:b")}}).ok());
  EXPECT_FALSE(w.session().fork(kMain, "HEAD", {.count = 1, .names = {kMain}}).ok());
  EXPECT_FALSE(w.session().set_note(kMain, "HEAD", "", "x").ok());
  EXPECT_FALSE(w.session().rename_node(kMain, "HEAD", "n7").ok());
  EXPECT_THAT(w.catalog.operations(), ElementsAre("build_session"));
  EXPECT_EQ(w.backend.calls("exec"), 0U);
}

TEST(SessionTest, RestoringAPhysicalNodeBringsBackEverything) {
  SessionWorld w("eager");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "set a 1"));
  ASSERT_OK(w.run("main", "spawn server"));
  std::string then = w.dump("main");
  NodeId here = w.mark("main");
  ASSERT_OK(w.run("main", "kill server"));
  ASSERT_OK(w.run("main", "set a 2"));
  ASSERT_OK(w.back("main", here));
  EXPECT_EQ(w.dump("main"), then);
  EXPECT_THAT(w.broken_rules(), IsEmpty());
}

TEST(SessionTest, RestoringAVirtualNodeReplaysFromItsNearestPhysicalAncestor) {
  SessionWorld w("every-2");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "append a 1"));
  w.mark("main");
  ASSERT_OK(w.run("main", "append a 2"));
  NodeId physical = w.mark("main");
  ASSERT_OK(w.run("main", "append a 3"));
  ASSERT_OK(w.run("main", "append a 4"));
  NodeId here = w.mark("main");
  EXPECT_TRUE(w.node(physical).is_physical());
  EXPECT_FALSE(w.node(here).is_physical());
  std::size_t execs = w.backend.calls("exec");
  ASSERT_OK_AND_ASSIGN(RestoreReport report, w.session().restore(kMain, here.value()));
  EXPECT_EQ(report.replayed, 2U);
  EXPECT_EQ(w.backend.calls("exec"), execs + 2);
  EXPECT_THAT(w.dump("main"), HasSubstr("a=1234\n"));
  EXPECT_THAT(w.broken_rules(), IsEmpty());
}

TEST(SessionTest, ABackendWithoutSnapshotsReplaysFromTheStart) {
  SessionWorld w("eager", replay_only());
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "append a 1"));
  ASSERT_OK(w.session().write_file(kMain, "/f", "text"));
  ASSERT_OK(w.session().resize(kMain, 10, 20));
  NodeId here = w.mark("main");
  std::string then = w.dump("main");
  ASSERT_OK(w.run("main", "append a 2"));
  ASSERT_OK(w.back("main", here));
  EXPECT_EQ(w.dump("main"), then);
  ASSERT_OK_AND_ASSIGN(ForkReport forks, w.session().fork(kMain, "HEAD", {.count = 2}));
  EXPECT_EQ(w.dump(forks.branches[1]->value()), then);
  EXPECT_EQ(w.backend.calls("checkpoint"), 0U);
  EXPECT_EQ(w.backend.calls("restore") + w.backend.calls("fork"), 0U);
  EXPECT_THAT(w.broken_rules(), IsEmpty());
}

TEST(SessionTest, ADivergedReplayFailsAndLeavesTheBranchAsItWas) {
  SessionWorld w("lazy");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "set b 1"));
  ASSERT_OK(w.run("main", "random a"));
  NodeId here = w.mark("main");
  ASSERT_OK(w.run("main", "set b 2"));
  std::string now = w.dump("main");
  Status restored = w.back("main", here);
  ASSERT_FALSE(restored.ok());
  EXPECT_EQ(restored.error().code, ErrorCode::kDiverged);
  auto divergence = divergence_of(restored.error());
  ASSERT_TRUE(divergence.has_value());
  EXPECT_EQ(divergence->node, here);
  EXPECT_EQ(divergence->index, 1U);
  EXPECT_EQ(divergence->command, "random a");
  EXPECT_EQ(divergence->expected.output, "1\n");
  EXPECT_EQ(divergence->observed.output, "2\n");
  EXPECT_EQ(w.dump("main"), now);
  EXPECT_EQ(w.session().resolve_ref(kMain, "HEAD").value(), here);
  EXPECT_THAT(w.broken_rules(), IsEmpty());
}

TEST(SessionTest, ACommandThatDivergedIsMaterializedFromThenOnAlsoAfterARestart) {
  SessionWorld w("lazy");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "random a"));
  NodeId lost = w.mark("main");
  EXPECT_FALSE(w.node(lost).is_physical());
  EXPECT_FALSE(w.back("main", lost).ok());
  EXPECT_TRUE(w.node(lost).log[0].diverged_before);
  ASSERT_OK(w.restart());
  ASSERT_OK(w.run("main", "random a"));
  ASSERT_OK_AND_ASSIGN(SnapshotReport report, w.session().snapshot(kMain));
  EXPECT_EQ(report.kind, Materialization::kPhysical);
  EXPECT_THAT(report.why, HasSubstr("diverge"));
  std::string then = w.dump("main");
  ASSERT_OK(w.run("main", "random a"));
  ASSERT_OK(w.back("main", report.node));
  EXPECT_EQ(w.dump("main"), then);
}

TEST(SessionTest, ADivergenceCanBeAcceptedAndIsListed) {
  SessionWorld w("lazy");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "flaky"));
  ASSERT_OK(w.run("main", "set a 1"));
  NodeId here = w.mark("main");
  ASSERT_OK(w.run("main", "set a 2"));
  ASSERT_OK_AND_ASSIGN(RestoreReport report,
                       w.session().restore(kMain, here.value(), OnDivergence::kAccept));
  ASSERT_EQ(report.accepted.size(), 1U);
  EXPECT_EQ(report.accepted[0].command, "flaky");
  EXPECT_THAT(w.dump("main"), HasSubstr("a=1\n"));
}

TEST(SessionTest, CommandsThatLeftProcessesAreMaterializedEvenWhenLazy) {
  SessionWorld w("lazy");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "spawn server"));
  ASSERT_OK_AND_ASSIGN(SnapshotReport report, w.session().snapshot(kMain));
  EXPECT_EQ(report.kind, Materialization::kPhysical);
  EXPECT_THAT(report.why, HasSubstr("left processes"));
}

TEST(SessionTest, WhatCannotBeCapturedBecomesVirtualAndSaysWhy) {
  SessionWorld w("eager");
  ASSERT_OK(w.build());
  w.backend.fail_checkpoints(ErrorCode::kUnsupported);
  ASSERT_OK(w.run("main", "set a 1"));
  ASSERT_OK_AND_ASSIGN(SnapshotReport report, w.session().snapshot(kMain));
  EXPECT_EQ(report.kind, Materialization::kVirtual);
  ASSERT_TRUE(report.fallback.has_value());
  EXPECT_THAT(w.node(report.node).notes["statefork.why_virtual"], HasSubstr("descriptor"));
  ASSERT_OK(w.run("main", "set a 2"));
  ASSERT_OK(w.back("main", report.node));
  EXPECT_THAT(w.dump("main"), HasSubstr("a=1\n"));

  Result<SnapshotReport> asked =
      w.session().snapshot(kMain, {.wanted = Materialization::kPhysical});
  EXPECT_EQ(asked.error().code, ErrorCode::kUnsupported) << "what was asked for is not replaced";
}

TEST(SessionTest, AnotherFailureOfACheckpointIsAnErrorAndChangesNothing) {
  SessionWorld w("eager");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "set a 1"));
  w.backend.fail_checkpoints(ErrorCode::kTimedOut);
  EXPECT_EQ(w.session().snapshot(kMain).error().code, ErrorCode::kTimedOut);
  w.backend.fail_checkpoints(std::nullopt);
  NodeId here = w.mark("main");
  EXPECT_EQ(here, NodeId("n1")) << "no id was lost";
  EXPECT_EQ(w.node(here).log.size(), 1U);
}

TEST(SessionTest, ANodeWhereProvablyNothingChangedSharesItsParentsSnapshot) {
  SessionWorld w("eager");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "set a 1"));
  NodeId first = w.mark("main");
  ASSERT_OK(w.run("main", "get a"));
  std::size_t checkpoints = w.backend.calls("checkpoint");
  NodeId second = w.mark("main");
  EXPECT_EQ(w.backend.calls("checkpoint"), checkpoints);
  EXPECT_TRUE(w.node(second).unchanged);
  EXPECT_EQ(w.node(second).physical->ref, w.node(first).physical->ref);
  EXPECT_EQ(w.node(second).log.size(), 1U) << "the log is kept all the same";

  ASSERT_OK(w.back("main", NodeId("n0")));
  ASSERT_OK_AND_ASSIGN(CleanupReport gone, w.session().cleanup(kMain, second.value(), Force::kNo));
  EXPECT_EQ(gone.physical_refs, 0U);
  EXPECT_EQ(gone.bytes, 0U);
  ASSERT_OK(w.back("main", first));
  EXPECT_THAT(w.dump("main"), HasSubstr("a=1\n"));
  EXPECT_THAT(w.broken_rules(), IsEmpty());
}

TEST(SessionTest, WhatIsNotProvenIsNotAssumed) {
  SessionWorld w("eager", without_fingerprints());
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "get a"));
  NodeId first = w.mark("main");
  EXPECT_FALSE(w.node(first).unchanged);
  EXPECT_NE(w.node(first).physical->ref, w.node(NodeId("n0")).physical->ref);
}

TEST(SessionTest, AProcessThatRunsByItselfMakesNothingProvable) {
  SessionWorld w("eager");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "spawn server"));
  w.mark("main");
  ASSERT_OK(w.run("main", "nop"));
  EXPECT_FALSE(w.node(w.mark("main")).unchanged);
}

TEST(SessionTest, TypedKeysForceAPhysicalNode) {
  SessionWorld w("lazy");
  ASSERT_OK(w.build());
  ASSERT_OK(w.session().send_keys(kMain, "q"));
  ASSERT_OK(w.session().send_keys(kMain, "x"));
  ASSERT_OK_AND_ASSIGN(SnapshotReport report, w.session().snapshot(kMain));
  EXPECT_EQ(report.kind, Materialization::kPhysical);
  EXPECT_EQ(w.node(report.node).log.size(), 1U) << "many keys are one entry";
  SessionWorld replaying("lazy", replay_only());
  ASSERT_OK(replaying.build());
  ASSERT_OK(replaying.session().send_keys(kMain, "q"));
  EXPECT_EQ(replaying.session().snapshot(kMain).error().code, ErrorCode::kUnsupported);
}

TEST(SessionTest, ForksAreIsolatedFromEachOtherAndFromTheirNode) {
  for (const char* policy : {"eager", "lazy", "smart"}) {
    SessionWorld w(policy);
    ASSERT_OK(w.build());
    ASSERT_OK(w.run("main", "set a 1"));
    NodeId here = w.mark("main");
    ASSERT_OK_AND_ASSIGN(ForkReport report,
                         w.session().fork(kMain, "HEAD", {.count = 3, .names = {BranchId("try")}}));
    ASSERT_EQ(report.branches.size(), 3U);
    EXPECT_EQ(report.branches[0].value(), BranchId("try"));
    EXPECT_EQ(report.branches[1].value(), BranchId("b1"));
    EXPECT_EQ(report.branches[2].value(), BranchId("b2"));
    ASSERT_OK(w.run("b1", "set a b1"));
    EXPECT_THAT(w.dump("try"), HasSubstr("a=1\n"));
    EXPECT_THAT(w.dump("main"), HasSubstr("a=1\n"));
    EXPECT_THAT(w.dump("b1"), HasSubstr("a=b1\n"));
    ASSERT_OK(w.back("b2", here));
    EXPECT_THAT(w.broken_rules(), IsEmpty());
  }
}

TEST(SessionTest, AForkThatDivergesSaysSoForEachBranchAfterOneTry) {
  SessionWorld w("lazy");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "random a"));
  w.mark("main");
  std::size_t execs = w.backend.calls("exec");
  ASSERT_OK_AND_ASSIGN(ForkReport report, w.session().fork(kMain, "HEAD", {.count = 3}));
  for (const Result<BranchId>& branch : report.branches)
    EXPECT_EQ(branch.error().code, ErrorCode::kDiverged);
  EXPECT_EQ(report.branches.size(), 3U);
  EXPECT_EQ(w.backend.calls("exec"), execs + 1);
  EXPECT_THAT(w.broken_rules(), IsEmpty());
}

TEST(SessionTest, SmartMakesAnOftenReplayedNodePhysical) {
  SessionWorld w("smart");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "slow 4"));  // a snapshot costs 6 ms here
  ASSERT_OK(w.run("main", "set a 1"));
  NodeId here = w.mark("main");
  ASSERT_FALSE(w.node(here).is_physical());
  ASSERT_OK_AND_ASSIGN(RestoreReport first, w.session().restore(kMain, here.value()));
  EXPECT_FALSE(first.promoted);
  ASSERT_OK_AND_ASSIGN(RestoreReport second, w.session().restore(kMain, here.value()));
  EXPECT_TRUE(second.promoted);
  ASSERT_OK_AND_ASSIGN(RestoreReport third, w.session().restore(kMain, here.value()));
  EXPECT_EQ(third.replayed, 0U);
  EXPECT_THAT(w.dump("main"), HasSubstr("a=1\n"));
  EXPECT_THAT(w.broken_rules(), IsEmpty());
}

TEST(SessionTest, SmartReplaysAVirtualNodeOnceForManyForks) {
  SessionWorld w("smart");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "slow 4"));
  w.mark("main");
  ASSERT_OK(w.session().fork(kMain, "HEAD", {.count = 8}));
  EXPECT_EQ(w.backend.calls("exec"), 2U);
  EXPECT_EQ(w.session().stats().promotions, 1U);
  EXPECT_EQ(w.session().stats().live_branches, 9U);
}

TEST(SessionTest, CleanupRemovesTheSubtreeAndGivesTheBytesBack) {
  SessionWorld w("eager");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "set a 1"));
  NodeId keep = w.mark("main");
  ASSERT_OK(w.run("main", "set a 2"));
  NodeId drop = w.mark("main");
  ASSERT_OK(w.run("main", "set a 3"));
  NodeId below = w.mark("main");
  std::uint64_t before = w.session().stats().physical_bytes;
  Result<CleanupReport> busy = w.session().cleanup(kMain, drop.value(), Force::kNo);
  ASSERT_FALSE(busy.ok());
  EXPECT_EQ(busy.error().code, ErrorCode::kBusy);
  EXPECT_EQ(busy.error().details.at("branches"), "main");

  ASSERT_OK(w.back("main", keep));
  ASSERT_OK_AND_ASSIGN(CleanupReport gone, w.session().cleanup(kMain, drop.value(), Force::kNo));
  EXPECT_THAT(gone.nodes, ElementsAre(below, drop));
  EXPECT_THAT(gone.branches, IsEmpty());
  EXPECT_EQ(gone.physical_refs, 2U);
  EXPECT_EQ(gone.bytes, before - w.session().stats().physical_bytes);
  EXPECT_GT(gone.bytes, 0U);
  EXPECT_EQ(w.session().restore(kMain, drop.value()).error().code, ErrorCode::kNotFound);
  EXPECT_THAT(w.broken_rules(), IsEmpty());
}

TEST(SessionTest, AForcedCleanupEndsTheBranchesInIt) {
  SessionWorld w("eager");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "set a 1"));
  NodeId here = w.mark("main");
  ASSERT_OK(w.session().fork(kMain, "n0", {.count = 1}));
  ASSERT_OK_AND_ASSIGN(CleanupReport gone, w.session().cleanup(kMain, here.value(), Force::kYes));
  EXPECT_THAT(gone.branches, ElementsAre(kMain));
  EXPECT_EQ(w.run("main", "nop").error().code, ErrorCode::kNotFound);
  EXPECT_OK(w.run("b1", "nop"));
  EXPECT_THAT(w.broken_rules(), IsEmpty());
}

TEST(SessionTest, TheRootGoesOnlyWithItsSession) {
  SessionWorld w;
  ASSERT_OK(w.build());
  EXPECT_EQ(w.session().cleanup(kMain, "n0", Force::kYes).error().code,
            ErrorCode::kInvalidArgument);
  w.mark("main");
  ASSERT_OK_AND_ASSIGN(CleanupReport gone, w.session().end_session());
  EXPECT_EQ(gone.nodes.size(), 2U);
  EXPECT_THAT(gone.branches, ElementsAre(kMain));
  EXPECT_EQ(w.backend.usage()->live_branches, 0U);
  EXPECT_EQ(w.backend.usage()->physical_snapshots, 0U);
  EXPECT_FALSE(w.catalog.load(w.id).has_value());
  EXPECT_EQ(w.run("main", "nop").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(w.session().end_session().error().code, ErrorCode::kNotFound);
}

TEST(SessionTest, WhatTheBackendCannotRemoveNowIsRemovedLater) {
  SessionWorld w("eager");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "set a 1"));
  NodeId drop = w.mark("main");
  ASSERT_OK(w.back("main", NodeId("n0")));
  w.fuse.arm(1, test::Fuse::Mode::kFailOnce);  // the commit passes, the removal fails
  ASSERT_OK_AND_ASSIGN(CleanupReport gone, w.session().cleanup(kMain, drop.value(), Force::kNo));
  EXPECT_EQ(gone.leftovers.size(), 1U);
  EXPECT_THAT(w.broken_rules(), ::testing::SizeIs(1));
  EXPECT_THAT(w.session().collect_garbage(), IsEmpty());
  EXPECT_THAT(w.broken_rules(), IsEmpty());
}

TEST(SessionTest, ALostBranchSaysSoAndIsRevivedByARestore) {
  SessionWorld w("eager");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "set a 1"));
  NodeId here = w.mark("main");
  EXPECT_EQ(w.run("main", "lose").error().code, ErrorCode::kSessionLost);
  EXPECT_EQ(w.session().snapshot(kMain).error().code, ErrorCode::kSessionLost);
  EXPECT_THAT(w.run("main", "nop").error().hint, HasSubstr("restore"));
  ASSERT_OK(w.back("main", here));
  EXPECT_THAT(w.dump("main"), HasSubstr("a=1\n"));
  EXPECT_THAT(w.broken_rules(), IsEmpty());
}

TEST(SessionTest, ARestartFindsEverythingWhereItWas) {
  SessionWorld w("lazy");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "set a 1"));
  NodeId here = w.mark("main", {.name = "good", .notes = {{"score", "7"}}});
  ASSERT_OK(w.run("main", "set a 2"));
  ASSERT_OK(w.restart());
  EXPECT_EQ(w.orphans, 0U);
  EXPECT_EQ(w.session().resolve_ref(kMain, "good").value(), here);
  EXPECT_EQ(w.node(here).notes["score"], "7");
  EXPECT_THAT(w.dump("main"), HasSubstr("a=2\n"));
  NodeId next = w.mark("main");
  EXPECT_EQ(w.node(next).log[0].text, "set a 2");
  ASSERT_OK(w.back("main", here));
  ASSERT_OK(w.back("main", next));
  EXPECT_THAT(w.dump("main"), HasSubstr("a=2\n"));
  EXPECT_THAT(w.broken_rules(), IsEmpty());
}

TEST(SessionTest, ARestartMarksWhatTheBackendLost) {
  SessionWorld w("eager");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "set a 1"));
  NodeId here = w.mark("main");
  ASSERT_OK(w.backend.remove(w.node(here).physical->ref));
  w.session().read([&](const BranchTree& tree) {
    w.backend.kill_branch(tree.find_branch(kMain)->handle);
    return 0;
  });
  ASSERT_OK(w.restart());
  EXPECT_EQ(w.run("main", "nop").error().code, ErrorCode::kSessionLost);
  EXPECT_FALSE(w.node(here).is_physical());
  ASSERT_OK(w.back("main", here)) << "by replay from the root";
  EXPECT_THAT(w.dump("main"), HasSubstr("a=1\n"));
}

TEST(SessionTest, DiffComparesNodesAndTheBranchAsItIs) {
  SessionWorld w("lazy");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "set a 1"));
  NodeId here = w.mark("main");
  ASSERT_OK(w.run("main", "set b 2"));
  ASSERT_OK_AND_ASSIGN(StateDiff nodes, w.session().diff(kMain, "n0", here.value()));
  ASSERT_EQ(nodes.differences.size(), 1U);
  EXPECT_EQ(nodes.differences[0].name, "a");
  ASSERT_OK_AND_ASSIGN(StateDiff now, w.session().diff(kMain, here.value(), std::nullopt));
  ASSERT_EQ(now.differences.size(), 1U);
  EXPECT_EQ(now.differences[0].name, "b");
  EXPECT_THAT(w.broken_rules(), IsEmpty()) << "the copies are gone again";
}

TEST(SessionTest, LimitsAreKept) {
  SessionWorld w("eager", {}, {.max_nodes = 2, .max_branches = 2, .max_notes = 1});
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "set a 1"));
  w.mark("main");
  EXPECT_EQ(w.session().snapshot(kMain).error().code, ErrorCode::kNoSpace);
  EXPECT_EQ(w.session().fork(kMain, "HEAD", {.count = 2}).error().code, ErrorCode::kNoSpace);
  ASSERT_OK(w.session().fork(kMain, "HEAD", {.count = 1}));
  ASSERT_OK(w.session().set_note(kMain, "HEAD", "a", "1"));
  EXPECT_EQ(w.session().set_note(kMain, "HEAD", "b", "1").error().code, ErrorCode::kNoSpace);
  ASSERT_OK(w.session().set_note(kMain, "HEAD", "a", std::nullopt));
  ASSERT_OK(w.session().set_note(kMain, "HEAD", "b", "1"));
}

TEST(SessionTest, MeasuredCostsAreInTheCatalogWithTheirNodes) {
  SessionWorld w("smart");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "slow 100"));
  ASSERT_OK(w.run("main", "set a 1"));
  ASSERT_TRUE(w.node(w.mark("main")).is_physical());
  EXPECT_EQ(w.catalog.costs().size(), 2U) << "the root and the node";
  EXPECT_EQ(w.catalog.costs()[1].took, milliseconds(6));
}

}  // namespace
}  // namespace sf::control
