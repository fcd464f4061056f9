// Which nodes become physical or virtual, which share a snapshot, and how replays affect that.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "control/session_manager.h"
#include "testing/matchers.h"
#include "testing/session_fixture.h"

namespace sf::control {
namespace {

using test::SessionFixture;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const BranchId kMain{"main"};

test::FakeBackendOptions replay_only() {
  test::FakeBackendOptions options;
  options.capabilities.physical_snapshots = false;
  return options;
}

test::FakeBackendOptions without_proofs() {
  test::FakeBackendOptions options;
  options.notices_unchanged = false;
  return options;
}

TEST(SessionMaterializationTest, SnapshotThatIsPhysicalInAnyCaseAsksTheBackendOnce) {
  SessionFixture w("eager");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "spawn server"));
  const std::size_t taken = w.backend.calls("checkpoint");
  ASSERT_OK_AND_ASSIGN(SnapshotReport report, w.session().snapshot(kMain));
  EXPECT_EQ(w.backend.calls("checkpoint"), taken + 1);
  EXPECT_EQ(w.backend.calls("facts"), 0U);
  EXPECT_FALSE(report.quiet);
  EXPECT_FALSE(w.node(report.node).quiet);
  EXPECT_EQ(report.physical->memory_bytes, 11U << 20U);
  EXPECT_THAT(report.why, HasSubstr("left processes"));
}

TEST(SessionMaterializationTest, RunningProcessesKeepAFailedCaptureFromBecomingVirtual) {
  SessionFixture w("eager");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "spawn server"));
  w.mark("main");
  ASSERT_OK(w.run("main", "set a 1"));
  w.backend.fail_checkpoints(ErrorCode::kUnsupported);
  auto refused = w.session().snapshot(kMain);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
  ASSERT_OK(w.run("main", "kill server"));
  EXPECT_FALSE(w.session().snapshot(kMain).ok());  // the process ran at the previous node
  EXPECT_THAT(w.broken_rules(), IsEmpty());
}

TEST(SessionMaterializationTest, RestoreEndsTheOldBranchWithoutWaiting) {
  SessionFixture w("eager");
  ASSERT_OK(w.build());
  NodeId here = w.mark("main");
  ASSERT_OK(w.back("main", here));
  EXPECT_EQ(w.backend.calls("retire"), 1U);
  EXPECT_EQ(w.backend.calls("end"), 0U);
  EXPECT_EQ(w.backend.calls("screen"), 0U);
  EXPECT_THAT(w.broken_rules(), IsEmpty());
}

TEST(SessionMaterializationTest, DivergedReplayFailsAndLeavesTheBranchUnchanged) {
  SessionFixture w("lazy");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "set b 1"));
  ASSERT_OK(w.run("main", "draw a"));
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
  EXPECT_EQ(divergence->command, "draw a");
  EXPECT_EQ(divergence->expected.output, "1\n");
  EXPECT_EQ(divergence->observed.output, "2\n");
  EXPECT_EQ(w.dump("main"), now);
  EXPECT_EQ(w.session().resolve_ref(kMain, "HEAD").value(), here);
  EXPECT_THAT(w.broken_rules(), IsEmpty());
}

TEST(SessionMaterializationTest, DivergedCommandIsMaterializedFromThenOnAlsoAfterARestart) {
  SessionFixture w("lazy");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "draw a"));
  NodeId lost = w.mark("main");
  EXPECT_FALSE(w.node(lost).is_physical());
  EXPECT_FALSE(w.back("main", lost).ok());
  EXPECT_TRUE(w.node(lost).log[0].diverged_before);
  ASSERT_OK(w.restart());
  ASSERT_OK(w.run("main", "draw a"));
  ASSERT_OK_AND_ASSIGN(SnapshotReport report, w.session().snapshot(kMain));
  EXPECT_EQ(report.kind, Materialization::kPhysical);
  EXPECT_THAT(report.why, HasSubstr("diverge"));
  std::string then = w.dump("main");
  ASSERT_OK(w.run("main", "draw a"));
  ASSERT_OK(w.back("main", report.node));
  EXPECT_EQ(w.dump("main"), then);
}

TEST(SessionMaterializationTest, SmartRestoresCommandsThatNameASourceOfRandomness) {
  SessionFixture w("smart");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "random a"));
  NodeId here = w.mark("main");
  EXPECT_TRUE(w.node(here).is_physical());
  std::string then = w.dump("main");
  ASSERT_OK(w.run("main", "random a"));
  ASSERT_OK(w.back("main", here));
  EXPECT_EQ(w.dump("main"), then);
}

TEST(SessionMaterializationTest, AcceptedDivergenceIsListed) {
  SessionFixture w("lazy");
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

TEST(SessionMaterializationTest, LazyMaterializesCommandsThatLeftProcesses) {
  SessionFixture w("lazy");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "spawn server"));
  ASSERT_OK_AND_ASSIGN(SnapshotReport report, w.session().snapshot(kMain));
  EXPECT_EQ(report.kind, Materialization::kPhysical);
  EXPECT_THAT(report.why, HasSubstr("left processes"));
}

TEST(SessionMaterializationTest, SnapshotWithoutSpaceFailsAndDoesNotBecomeVirtual) {
  SessionFixture w("eager");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "set a 1"));
  w.backend.fail_checkpoints(ErrorCode::kNoSpace);
  EXPECT_EQ(w.session().snapshot(kMain).error().code, ErrorCode::kNoSpace);
  EXPECT_EQ(w.session().stats().nodes, 1U);
  w.backend.fail_checkpoints(std::nullopt);
  ASSERT_OK_AND_ASSIGN(SnapshotReport report, w.session().snapshot(kMain));
  EXPECT_EQ(report.kind, Materialization::kPhysical);
}

TEST(SessionMaterializationTest, UncapturableStateBecomesVirtualWithAReason) {
  SessionFixture w("eager");
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
  EXPECT_EQ(asked.error().code, ErrorCode::kUnsupported) << "a request does not fall back";
}

TEST(SessionMaterializationTest, OtherCheckpointFailureIsAnErrorAndChangesNothing) {
  SessionFixture w("eager");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "set a 1"));
  w.backend.fail_checkpoints(ErrorCode::kTimedOut);
  EXPECT_EQ(w.session().snapshot(kMain).error().code, ErrorCode::kTimedOut);
  w.backend.fail_checkpoints(std::nullopt);
  NodeId here = w.mark("main");
  EXPECT_EQ(here, NodeId("n1")) << "no id was skipped";
  EXPECT_EQ(w.node(here).log.size(), 1U);
}

TEST(SessionMaterializationTest, NodeThatSharesASnapshotAddsNoCostAndNoSample) {
  SessionFixture w("eager");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "set a 1"));
  NodeId first = w.mark("main");
  ASSERT_OK(w.run("main", "get a"));
  ASSERT_OK_AND_ASSIGN(SnapshotReport shared, w.session().snapshot(kMain));
  NodeId second = shared.node;
  EXPECT_TRUE(shared.unchanged);
  EXPECT_EQ(shared.why, "nothing changed since the snapshot before");
  EXPECT_TRUE(w.node(second).unchanged) << "the node repeats the report";
  EXPECT_EQ(w.session().stats().unchanged_snapshots, 1U);
  EXPECT_EQ(w.node(second).log.size(), 1U) << "the log is kept anyway";

  ASSERT_OK(w.back("main", NodeId("n0")));
  ASSERT_OK_AND_ASSIGN(CleanupReport gone, w.session().cleanup(kMain, second.value(), Force::kNo));
  EXPECT_EQ(gone.physical_refs, 1U);
  EXPECT_EQ(gone.bytes, 0U);
  ASSERT_OK(w.back("main", first));
  EXPECT_THAT(w.dump("main"), HasSubstr("a=1\n"));
  EXPECT_THAT(w.broken_rules(), IsEmpty());
}

TEST(SessionMaterializationTest, UnchangedIsRelativeToTheBranchsCurrentNode) {
  SessionFixture w("eager");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "set a 1"));
  w.mark("main");
  ASSERT_OK(w.run("main", "nop"));
  ASSERT_OK(w.back("main", NodeId("n0")));
  ASSERT_OK(w.run("main", "set a 1"));  // equals the other node, but not this one
  NodeId here = w.mark("main");
  EXPECT_FALSE(w.node(here).unchanged);
  ASSERT_OK(w.back("main", here));
  EXPECT_THAT(w.dump("main"), HasSubstr("a=1\n"));
}

TEST(SessionMaterializationTest, UnprovenNodeIsNotShared) {
  SessionFixture w("eager", without_proofs());
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "get a"));
  NodeId first = w.mark("main");
  EXPECT_FALSE(w.node(first).unchanged);
  EXPECT_NE(w.node(first).physical->ref, w.node(NodeId("n0")).physical->ref);
}

TEST(SessionMaterializationTest, NodeWithARunningProcessIsNotShared) {
  SessionFixture w("eager");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "spawn server"));
  w.mark("main");
  ASSERT_OK(w.run("main", "nop"));
  EXPECT_FALSE(w.node(w.mark("main")).unchanged);
}

TEST(SessionMaterializationTest, TypedKeysForceAPhysicalNode) {
  SessionFixture w("lazy");
  ASSERT_OK(w.build());
  ASSERT_OK(w.session().send_keys(kMain, "q"));
  ASSERT_OK(w.session().send_keys(kMain, "x"));
  ASSERT_OK_AND_ASSIGN(SnapshotReport report, w.session().snapshot(kMain));
  EXPECT_EQ(report.kind, Materialization::kPhysical);
  EXPECT_EQ(w.node(report.node).log.size(), 1U) << "many keys are one entry";
  SessionFixture replaying("lazy", replay_only());
  ASSERT_OK(replaying.build());
  ASSERT_OK(replaying.session().send_keys(kMain, "q"));
  EXPECT_EQ(replaying.session().snapshot(kMain).error().code, ErrorCode::kUnsupported);
}

TEST(SessionMaterializationTest, UnfinishedCommandForcesAPhysicalNode) {
  SessionFixture w("lazy");
  ASSERT_OK(w.build());
  w.backend.lose_next_answer();
  EXPECT_EQ(w.run("main", "set a 1").error().code, ErrorCode::kOs);
  ASSERT_OK_AND_ASSIGN(SnapshotReport report, w.session().snapshot(kMain));
  EXPECT_EQ(report.kind, Materialization::kPhysical);
  ASSERT_OK(w.run("main", "set a 2"));
  ASSERT_OK(w.back("main", report.node));
  EXPECT_THAT(w.dump("main"), HasSubstr("a=1\n"));
}

TEST(SessionMaterializationTest, AcceptedDivergenceIsNotPromoted) {
  SessionFixture w("smart");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "flaky"));
  ASSERT_OK(w.run("main", "slow 4"));
  NodeId here = w.mark("main");
  for (int i = 0; i < 5; ++i) {
    ASSERT_OK_AND_ASSIGN(RestoreReport report,
                         w.session().restore(kMain, here.value(), OnDivergence::kAccept));
    EXPECT_FALSE(report.promoted);
    EXPECT_EQ(report.accepted.size(), 1U);
  }
  EXPECT_FALSE(w.node(here).is_physical());
}

TEST(SessionMaterializationTest, DivergedForkReportsTheErrorForEachBranchAfterOneAttempt) {
  SessionFixture w("lazy");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "draw a"));
  w.mark("main");
  std::size_t execs = w.backend.calls("exec");
  ASSERT_OK_AND_ASSIGN(ForkReport report, w.session().fork(kMain, "HEAD", {.count = 3}));
  for (const Result<BranchId>& branch : report.branches)
    EXPECT_EQ(branch.error().code, ErrorCode::kDiverged);
  EXPECT_EQ(report.branches.size(), 3U);
  EXPECT_EQ(w.backend.calls("exec"), execs + 1);
  EXPECT_THAT(w.broken_rules(), IsEmpty());
}

TEST(SessionMaterializationTest, SmartPromotesANodeThatIsReplayedOften) {
  SessionFixture w("smart");
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

TEST(SessionMaterializationTest, FailedCommitOfAPromotionLeavesNoGarbage) {
  SessionFixture w("smart");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "slow 4"));
  ASSERT_OK(w.run("main", "set a 1"));
  NodeId here = w.mark("main");
  ASSERT_OK(w.back("main", here));
  w.fuse.arm(5, test::Fuse::Mode::kFailOnce);  // restore, two commands, facts, checkpoint; append
  ASSERT_OK_AND_ASSIGN(RestoreReport report, w.session().restore(kMain, here.value()));
  EXPECT_TRUE(w.fuse.has_blown());
  EXPECT_FALSE(report.promoted);
  EXPECT_FALSE(w.node(here).is_physical());
  EXPECT_THAT(w.broken_rules(), IsEmpty());
}

TEST(SessionMaterializationTest, SmartReplaysAVirtualNodeOnceForManyForks) {
  SessionFixture w("smart");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "slow 4"));
  ASSERT_OK(w.run("main", "set a 1"));
  w.mark("main");
  ASSERT_OK(w.session().fork(kMain, "HEAD", {.count = 8}));
  EXPECT_EQ(w.backend.calls("exec"), 4U) << "two commands, each replayed once";
  EXPECT_THAT(w.dump("b8"), HasSubstr("a=1\n"));
  EXPECT_EQ(w.session().stats().promotions, 1U);
  EXPECT_EQ(w.session().stats().live_branches, 9U);
}

TEST(SessionMaterializationTest, MeasuredCostsAreRecordedWithTheirNodes) {
  SessionFixture w("smart");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "slow 100"));
  ASSERT_OK(w.run("main", "set a 1"));
  ASSERT_TRUE(w.node(w.mark("main")).is_physical());
  EXPECT_EQ(w.catalog.costs().size(), 2U) << "the root and the node";
  EXPECT_EQ(w.catalog.costs()[1].took, milliseconds(6));
}

}  // namespace
}  // namespace sf::control
