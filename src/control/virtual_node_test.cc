// Virtual nodes: a node becomes virtual only if a different replay would be detected, and a restore
// never returns a state that differs from the recording.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "control/session_manager.h"
#include "testing/kept_node.h"
#include "testing/matchers.h"
#include "testing/session_fixture.h"

namespace sf::control {
namespace {

using test::expect_back;
using test::handle;
using test::Kept;
using test::SessionFixture;
using test::take;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const BranchId kMain{"main"};

TEST(VirtualNodeTest, NodeIsPhysicalIfAProcessOfItsParentCouldAct) {
  for (const char* policy : {"lazy", "smart"}) {
    SessionFixture w(policy);
    ASSERT_OK(w.build());
    ASSERT_OK(w.run("main", "spawn job"));
    take(w);
    w.backend.let_processes_act(handle(w));
    ASSERT_OK(w.run("main", "kill job"));
    take(w);
    ASSERT_OK(w.run("main", "set y 2"));
    const Kept quiet = take(w);
    EXPECT_EQ(quiet.report.kind, Materialization::kVirtual) << "no process can act any more";
    ASSERT_OK(w.run("main", "spawn other"));
    take(w);
    w.backend.let_processes_act(handle(w));
    ASSERT_OK(w.run("main", "set y 3"));
    const Kept acted = take(w);
    EXPECT_EQ(acted.report.kind, Materialization::kPhysical);
    ASSERT_OK(w.run("main", "set y 4"));
    expect_back(w, acted);
  }
}

TEST(VirtualNodeTest, ProcessThatEndedByItselfMakesTheNextNodePhysical) {
  SessionFixture w("lazy");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "spawn job"));
  take(w);
  w.backend.let_processes_act(handle(w));
  ASSERT_OK(w.run("main", "kill job"));
  const Kept kept = take(w);
  EXPECT_EQ(kept.report.kind, Materialization::kPhysical);
  EXPECT_THAT(kept.report.why, HasSubstr("ran by itself"));
  ASSERT_OK(w.run("main", "set a 9"));
  expect_back(w, kept);
}

TEST(VirtualNodeTest, RequestForAVirtualNodeIsOverriddenWhileProcessesRun) {
  SessionFixture w("eager");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "spawn job"));
  const Kept kept = take(w, {.wanted = Materialization::kVirtual});
  EXPECT_EQ(kept.report.kind, Materialization::kPhysical);
  expect_back(w, kept);
}

TEST(VirtualNodeTest, SideCommandThatOutlivesASnapshotIsInTheNextNode) {
  SessionFixture w("lazy");
  ASSERT_OK(w.build());
  w.backend.on_run([&] {
    ASSERT_OK(w.run("main", "set before 1"));
    take(w);  // the command has begun, and acts after this node
  });
  ASSERT_OK(w.session().run(kMain, {.argv = {"late"}, .input = "acted"}));
  w.backend.on_run({});
  ASSERT_OK(w.run("main", "set after 1"));
  const Kept kept = take(w);
  EXPECT_EQ(kept.report.kind, Materialization::kPhysical);
  EXPECT_THAT(kept.state, HasSubstr("late=acted"));
  ASSERT_OK(w.run("main", "set late lost"));
  expect_back(w, kept);
  ASSERT_OK(w.run("main", "set later 1"));
  EXPECT_EQ(take(w).report.kind, Materialization::kVirtual) << "the side command has ended";
}

TEST(VirtualNodeTest, SideCommandIsRememberedAfterARestart) {
  SessionFixture w("lazy");
  ASSERT_OK(w.build());
  w.backend.on_run([&] { take(w); });
  ASSERT_OK(w.session().run(kMain, {.argv = {"late"}, .input = "acted"}));
  w.backend.on_run({});
  ASSERT_OK(w.restart());
  EXPECT_EQ(take(w).report.kind, Materialization::kPhysical);
}

TEST(VirtualNodeTest, SilentDifferenceIsReportedAndNeverReturned) {
  SessionFixture w("lazy");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "set a 1"));
  ASSERT_OK(w.run("main", "hidden r"));
  const Kept kept = take(w);
  ASSERT_EQ(kept.report.kind, Materialization::kVirtual);
  Status back = w.back("main", kept.report.node);
  ASSERT_FALSE(back.ok());
  EXPECT_EQ(back.error().code, ErrorCode::kDiverged);
  EXPECT_THAT(back.error().message, HasSubstr("its files differ"));
  ASSERT_TRUE(divergence_of(back.error()).has_value());
  EXPECT_EQ(divergence_of(back.error())->state, "its files differ");
  EXPECT_EQ(w.dump("main"), kept.state) << "the branch is unchanged";
  ASSERT_OK_AND_ASSIGN(ForkReport forks,
                       w.session().fork(kMain, kept.report.node.value(), {.count = 2}));
  for (const Result<BranchId>& branch : forks.branches)
    EXPECT_EQ(branch.error().code, ErrorCode::kDiverged);
  EXPECT_THAT(w.broken_rules(), IsEmpty());
}

TEST(VirtualNodeTest, OnlyCommandOfANodeIsRecordedAsDiverged) {
  SessionFixture w("lazy");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "set a 1"));
  const Kept before = take(w);
  expect_back(w, before);  // proves the replay of its commands
  ASSERT_OK(w.run("main", "hidden r"));
  const Kept lost = take(w);
  EXPECT_FALSE(w.back("main", lost.report.node).ok());
  EXPECT_TRUE(w.node(lost.report.node).log[0].diverged_before);
  EXPECT_FALSE(w.node(before.report.node).log[0].diverged_before);
  ASSERT_OK(w.restart());
  ASSERT_OK(w.run("main", "hidden r"));
  const Kept kept = take(w);
  EXPECT_EQ(kept.report.kind, Materialization::kPhysical) << "the command is known to diverge";
  ASSERT_OK(w.run("main", "set a 1"));
  EXPECT_EQ(take(w).report.kind, Materialization::kVirtual) << "other commands are not affected";
  expect_back(w, kept);
}

TEST(VirtualNodeTest, SequenceOfCommandsIsMaterializedIfItsStateDiverged) {
  SessionFixture w("lazy");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "set a 1"));
  ASSERT_OK(w.run("main", "hidden r"));
  const Kept lost = take(w);
  ASSERT_EQ(lost.report.kind, Materialization::kVirtual);
  EXPECT_FALSE(w.back("main", lost.report.node).ok());
  for (const LogEntry& entry : w.node(lost.report.node).log) EXPECT_FALSE(entry.diverged_before);
  ASSERT_OK(w.restart());
  ASSERT_OK(w.run("main", "set a 1"));
  EXPECT_EQ(take(w).report.kind, Materialization::kVirtual) << "it was not recorded as diverged";
  ASSERT_OK(w.run("main", "nop"));
  ASSERT_OK(w.run("main", "set a 1"));
  ASSERT_OK(w.run("main", "hidden r"));
  const Kept kept = take(w);
  EXPECT_EQ(kept.report.kind, Materialization::kPhysical);
  EXPECT_THAT(kept.report.why, HasSubstr("led to another state"));
  ASSERT_OK(w.run("main", "set a 2"));
  expect_back(w, kept);
}

TEST(VirtualNodeTest, CommandsOfAncestorsAreSuspectedUnlessTheirReplayWasProven) {
  SessionFixture w("lazy");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "hidden r"));
  take(w);
  ASSERT_OK(w.run("main", "set a 1"));
  const Kept second = take(w);
  Status back = w.back("main", second.report.node);
  ASSERT_FALSE(back.ok());
  EXPECT_THAT(back.error().message, HasSubstr("node " + second.report.node.value()));
  ASSERT_OK(w.run("main", "hidden r"));
  EXPECT_EQ(take(w).report.kind, Materialization::kPhysical) << "it was recorded as diverged";
}

TEST(VirtualNodeTest, LongOutputOfVersion010CanBeRestoredIfTheDoubtIsAccepted) {
  SessionFixture w("lazy");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "set a 1"));
  ASSERT_OK(w.run("main", "long 5000"));
  const Kept kept = take(w);
  ASSERT_EQ(kept.report.kind, Materialization::kVirtual);
  // As a catalog of version 0.1.0 is read: no digest and no hash of the truncated output.
  ASSERT_OK(w.catalog.rewrite(w.id, [](SessionImage& image) {
    Node& node = image.nodes.back();
    node.proof.reset();
    node.quiet = false;
    node.log[1].output_hash = hash_text(node.log[1].output_excerpt);
  }));
  ASSERT_OK(w.restart());
  EXPECT_EQ(w.back("main", kept.report.node).error().code, ErrorCode::kDiverged);
  ASSERT_OK_AND_ASSIGN(RestoreReport report,
                       w.session().restore(kMain, kept.report.node.value(), OnDivergence::kAccept));
  EXPECT_THAT(report.unproven, HasSubstr("only a part was recorded"));
  EXPECT_EQ(w.dump("main"), kept.state);
  ASSERT_OK(w.run("main", "set a 2"));
  EXPECT_EQ(take(w).report.kind, Materialization::kPhysical);
}

TEST(VirtualNodeTest, NodeWithADigestOfAnotherVersionIsRestoredAsUnproven) {
  SessionFixture w("lazy");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "set a 1"));
  const Kept kept = take(w);
  ASSERT_OK(w.catalog.rewrite(
      w.id, [](SessionImage& image) { image.nodes.back().proof->digest = "format:0 files:1"; }));
  ASSERT_OK(w.restart());
  ASSERT_OK_AND_ASSIGN(RestoreReport report, w.session().restore(kMain, kept.report.node.value()));
  EXPECT_THAT(report.unproven, HasSubstr("another version"));
  ASSERT_OK_AND_ASSIGN(StateDiff diff, w.session().diff(kMain, "n0", kept.report.node.value()));
  EXPECT_THAT(diff.unproven, HasSubstr("another version"));
  EXPECT_EQ(diff.differences.size(), 1U);
  ASSERT_OK_AND_ASSIGN(diff, w.session().diff(kMain, "n0", "n0"));
  EXPECT_EQ(diff.unproven, "") << "a snapshot needs no proof";
  EXPECT_EQ(w.dump("main"), kept.state);
  ASSERT_OK(w.run("main", "set a 2"));
  EXPECT_EQ(take(w).report.kind, Materialization::kPhysical);
}

TEST(VirtualNodeTest, SlowHostIsNotADivergence) {
  SessionFixture w("lazy");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "set a 1"));
  const Kept kept = take(w);
  ASSERT_OK(w.run("main", "set a 2"));
  w.backend.be_slow(3, 150);  // more than a second
  ASSERT_OK(w.back("main", kept.report.node));
  EXPECT_EQ(w.dump("main"), kept.state);
}

TEST(VirtualNodeTest, DifferentStateIsNeverPromoted) {
  SessionFixture w("smart");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "hidden r"));
  ASSERT_OK(w.run("main", "slow 4"));
  const Kept kept = take(w);
  ASSERT_EQ(kept.report.kind, Materialization::kVirtual);
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(w.back("main", kept.report.node).ok());
  EXPECT_FALSE(w.node(kept.report.node).is_physical());
}

TEST(VirtualNodeTest, SnapshotAfterAnAcceptedDivergenceIsPhysical) {
  for (const char* command : {"flaky", "hidden r"}) {
    SessionFixture w("lazy");
    ASSERT_OK(w.build());
    ASSERT_OK(w.run("main", command));
    const Kept kept = take(w);
    ASSERT_OK_AND_ASSIGN(RestoreReport report, w.session().restore(kMain, kept.report.node.value(),
                                                                   OnDivergence::kAccept));
    EXPECT_EQ(report.accepted.size(), 1U);
    ASSERT_OK(w.restart());
    ASSERT_OK(w.run("main", "set a 1"));
    const Kept next = take(w);
    EXPECT_EQ(next.report.kind, Materialization::kPhysical) << next.report.why;
    ASSERT_OK(w.run("main", "set a 2"));
    expect_back(w, next);
    ASSERT_OK_AND_ASSIGN(ForkReport forks,
                         w.session().fork(kMain, kept.report.node.value(),
                                          {.count = 1, .on_divergence = OnDivergence::kAccept}));
    ASSERT_OK(forks.branches[0]);
    ASSERT_EQ(forks.accepted.size(), 1U);
    EXPECT_EQ(forks.accepted[0].size(), 1U) << "accepted divergences are listed";
    ASSERT_OK_AND_ASSIGN(SnapshotReport forked, w.session().snapshot(*forks.branches[0]));
    EXPECT_EQ(forked.kind, Materialization::kPhysical);
  }
}

TEST(VirtualNodeTest, ReplayUsesTheWindowSizeOfTheRecording) {
  SessionFixture w("lazy");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "dump"));  // prints the window
  const Kept small = take(w);
  ASSERT_OK(w.session().resize(kMain, 50, 200));
  ASSERT_OK(w.back("main", small.report.node));
  EXPECT_EQ(w.machine("main")->rows, 50) << "the branch keeps its own size";
  ASSERT_OK(w.run("main", "dump"));
  const Kept large = take(w);
  EXPECT_EQ(large.report.kind, Materialization::kVirtual);
  ASSERT_OK(w.session().resize(kMain, 30, 90));
  ASSERT_OK(w.back("main", large.report.node));
  EXPECT_EQ(w.machine("main")->rows, 30);
  ASSERT_OK_AND_ASSIGN(ForkReport forks, w.session().fork(kMain, large.report.node.value(), {}));
  ASSERT_OK(forks.branches[0]);
  EXPECT_EQ(w.machine(forks.branches[0]->value())->rows, 50) << "a fork has the recorded size";
}

TEST(VirtualNodeTest, NodeWithoutADigestIsMadePhysical) {
  test::FakeBackendOptions options;
  options.has_digests = false;
  SessionFixture w("lazy", options);
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "set a 1"));
  const Kept kept = take(w);
  EXPECT_EQ(kept.report.kind, Materialization::kPhysical);
  EXPECT_THAT(kept.report.why, HasSubstr("too many files"));
  ASSERT_OK(w.run("main", "set a 2"));
  expect_back(w, kept);
  ASSERT_OK(w.run("main", "set a 3"));
  w.backend.fail_checkpoints(ErrorCode::kUnsupported);
  EXPECT_EQ(w.session().snapshot(kMain).error().code, ErrorCode::kUnsupported)
      << "a node must be captured or proven";
}

TEST(VirtualNodeTest, WithoutShellSnapshotsOnlyReplaysFromTheRootMakeVirtualNodes) {
  test::FakeBackendOptions files_only;
  files_only.preserves = Preserves::kFiles;
  for (const char* policy : {"lazy", "smart"}) {
    SessionFixture w(policy, files_only);
    ASSERT_OK(w.build());
    ASSERT_OK(w.run("main", "set a 1"));
    const Kept first = take(w);
    EXPECT_EQ(first.report.kind, Materialization::kVirtual) << "the root starts a new shell";
    ASSERT_OK(w.run("main", "set a 2"));
    EXPECT_EQ(take(w).report.kind, Materialization::kVirtual);
    take(w, {.wanted = Materialization::kPhysical});
    ASSERT_OK(w.run("main", "set a 3"));
    const Kept after = take(w);
    EXPECT_EQ(after.report.kind, Materialization::kPhysical);
    EXPECT_THAT(after.report.why, HasSubstr("not its shell"));
    ASSERT_OK(w.run("main", "set a 4"));
    expect_back(w, after);
    expect_back(w, first);
    ASSERT_OK(w.run("main", "spawn job"));
    const Kept left = take(w);
    EXPECT_EQ(left.report.kind, Materialization::kPhysical);
    EXPECT_THAT(left.report.why, HasSubstr("left processes"));
  }
}

TEST(VirtualNodeTest, NodeIsNotPromotedToASnapshotWithoutItsShell) {
  test::FakeBackendOptions files_only;
  files_only.preserves = Preserves::kFiles;
  SessionFixture w("smart", files_only);
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "slow 4"));
  const Kept kept = take(w);
  ASSERT_EQ(kept.report.kind, Materialization::kVirtual);
  for (int i = 0; i < 5; ++i) expect_back(w, kept);
  EXPECT_FALSE(w.node(kept.report.node).is_physical());
}

TEST(VirtualNodeTest, NodeWhoseDigestFailsIsMadePhysical) {
  for (const ErrorCode code : {ErrorCode::kNotFound, ErrorCode::kOs, ErrorCode::kTimedOut}) {
    SessionFixture w("lazy");
    ASSERT_OK(w.build());
    ASSERT_OK(w.run("main", "set a 1"));
    w.backend.fail_digests(code);
    const Kept kept = take(w);
    EXPECT_EQ(kept.report.kind, Materialization::kPhysical);
    EXPECT_THAT(kept.report.why, HasSubstr("the digest failed"));
    ASSERT_OK(w.run("main", "set a 2"));
    expect_back(w, kept);
  }
  SessionFixture lost("lazy");
  ASSERT_OK(lost.build());
  ASSERT_OK(lost.run("main", "set a 1"));
  lost.backend.fail_digests(ErrorCode::kSessionLost);
  EXPECT_EQ(lost.session().snapshot(kMain).error().code, ErrorCode::kSessionLost);
  test::FakeBackendOptions replay;
  replay.capabilities.physical_snapshots = false;
  SessionFixture w("lazy", replay);
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "set a 1"));
  w.backend.fail_digests(ErrorCode::kOs);
  EXPECT_EQ(w.session().snapshot(kMain).error().code, ErrorCode::kOs)
      << "without snapshots, the failure is returned";
}

TEST(VirtualNodeTest, FullSessionDoesNotCaptureANodeThatCannotBeProven) {
  test::FakeBackendOptions options;
  options.has_digests = false;
  for (const auto wanted : {std::optional<Materialization>(), {Materialization::kVirtual}}) {
    SessionFixture w("eager", options, {.max_physical_bytes = 1});  // the root uses all of it
    ASSERT_OK(w.build());
    ASSERT_OK(w.run("main", "set a 1"));
    const std::uint64_t used = w.session().stats().physical_bytes;
    const std::string state = w.dump("main");
    Result<SnapshotReport> refused = w.session().snapshot(kMain, {.wanted = wanted});
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::kNoSpace);
    EXPECT_THAT(refused.error().message, HasSubstr("too many files"));
    EXPECT_THAT(refused.error().hint, HasSubstr("clean up"));
    EXPECT_EQ(w.session().stats().physical_bytes, used);
    EXPECT_EQ(w.session().stats().nodes, 1U);
    EXPECT_EQ(w.dump("main"), state);
    EXPECT_THAT(w.broken_rules(), IsEmpty());
  }
  SessionFixture proven("eager", {}, {.max_physical_bytes = 1});
  ASSERT_OK(proven.build());
  ASSERT_OK(proven.run("main", "set a 1"));
  const Kept kept = take(proven);
  EXPECT_EQ(kept.report.kind, Materialization::kVirtual);
  ASSERT_OK(proven.run("main", "set a 2"));
  expect_back(proven, kept);
}

TEST(VirtualNodeTest, ProofStaysValidWhenAnAncestorBecomesPhysical) {
  SessionFixture w("lazy");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "set a 1"));
  take(w);
  ASSERT_OK(w.run("main", "append a 2"));
  const Kept second = take(w);
  ASSERT_OK(w.restart());
  ASSERT_OK(w.run("main", "set a lost"));
  expect_back(w, second);
  const Kept again = take(w);
  EXPECT_EQ(again.report.kind, Materialization::kVirtual) << "the branch is unchanged";
  expect_back(w, again);
}

}  // namespace
}  // namespace sf::control
