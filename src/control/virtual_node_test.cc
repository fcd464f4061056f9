// Virtual nodes: none is made whose replay could lead elsewhere unseen, and none is handed out that
// differs from its recording.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "control/session_manager.h"
#include "testing/matchers.h"
#include "testing/session_world.h"

namespace sf::control {
namespace {

using test::SessionWorld;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const BranchId kMain{"main"};

class VirtualNodeTest : public ::testing::Test {
 protected:
  // Everything about a node that must come back.
  struct Kept {
    SnapshotReport report;
    std::string state;
  };
  static Kept take(SessionWorld& w, const SnapshotRequest& request = {}) {
    auto report = w.session().snapshot(kMain, request);
    EXPECT_OK(report);
    return {report ? *report : SnapshotReport(), w.dump("main")};
  }
  static void expect_back(SessionWorld& w, const Kept& kept) {
    ASSERT_OK(w.back("main", kept.report.node));
    EXPECT_EQ(w.dump("main"), kept.state);
    ASSERT_OK_AND_ASSIGN(ForkReport forks,
                         w.session().fork(kMain, kept.report.node.value(), {.count = 2}));
    for (const Result<BranchId>& branch : forks.branches) {
      ASSERT_OK(branch);
      EXPECT_EQ(w.dump(branch->value()), kept.state);
      ASSERT_OK(w.session().end_branch(*branch));
    }
    EXPECT_THAT(w.broken_rules(), IsEmpty());
  }
  static BranchHandle handle(SessionWorld& w) {
    return w.session().read([](const BranchTree& t) { return t.find_branch(kMain)->handle; });
  }
};

TEST_F(VirtualNodeTest, NodeIsPhysicalIfAProcessOfItsParentCouldAct) {
  for (const char* policy : {"lazy", "smart"}) {
    SessionWorld w(policy);
    ASSERT_OK(w.build());
    ASSERT_OK(w.run("main", "spawn job"));
    take(w);
    w.backend.let_processes_act(handle(w));
    ASSERT_OK(w.run("main", "kill job"));
    take(w);
    ASSERT_OK(w.run("main", "set y 2"));
    const Kept quiet = take(w);
    EXPECT_EQ(quiet.report.kind, Materialization::kVirtual) << "nothing acts any more";
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

TEST_F(VirtualNodeTest, ProcessThatEndedByItselfMakesTheNextNodePhysical) {
  SessionWorld w("lazy");
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

TEST_F(VirtualNodeTest, WishForAVirtualNodeIsOverruledWhileProcessesRun) {
  SessionWorld w("eager");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "spawn job"));
  const Kept kept = take(w, {.wanted = Materialization::kVirtual});
  EXPECT_EQ(kept.report.kind, Materialization::kPhysical);
  expect_back(w, kept);
}

TEST_F(VirtualNodeTest, ProgramBesideTheShellThatOutlivesASnapshotIsInTheNextNode) {
  SessionWorld w("lazy");
  ASSERT_OK(w.build());
  w.backend.on_run([&] {
    ASSERT_OK(w.run("main", "set before 1"));
    take(w);  // the program has begun, and acts after this node
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
  EXPECT_EQ(take(w).report.kind, Materialization::kVirtual) << "it has ended";
}

TEST_F(VirtualNodeTest, ProgramBesideTheShellIsRememberedOverARestart) {
  SessionWorld w("lazy");
  ASSERT_OK(w.build());
  w.backend.on_run([&] { take(w); });
  ASSERT_OK(w.session().run(kMain, {.argv = {"late"}, .input = "acted"}));
  w.backend.on_run({});
  ASSERT_OK(w.restart());
  EXPECT_EQ(take(w).report.kind, Materialization::kPhysical);
}

TEST_F(VirtualNodeTest, SilentDifferenceIsReportedAndNeverHandedOut) {
  SessionWorld w("lazy");
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
  EXPECT_EQ(w.dump("main"), kept.state) << "the branch is as it was";
  ASSERT_OK_AND_ASSIGN(ForkReport forks,
                       w.session().fork(kMain, kept.report.node.value(), {.count = 2}));
  for (const Result<BranchId>& branch : forks.branches)
    EXPECT_EQ(branch.error().code, ErrorCode::kDiverged);
  EXPECT_THAT(w.broken_rules(), IsEmpty());
}

TEST_F(VirtualNodeTest, CommandThatIsAloneInItsNodeIsBlamedForAStateThatDiffers) {
  SessionWorld w("lazy");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "set a 1"));
  const Kept before = take(w);
  expect_back(w, before);  // its commands lead where they led
  ASSERT_OK(w.run("main", "hidden r"));
  const Kept lost = take(w);
  EXPECT_FALSE(w.back("main", lost.report.node).ok());
  EXPECT_TRUE(w.node(lost.report.node).log[0].diverged_before);
  EXPECT_FALSE(w.node(before.report.node).log[0].diverged_before);
  ASSERT_OK(w.restart());
  ASSERT_OK(w.run("main", "hidden r"));
  const Kept kept = take(w);
  EXPECT_EQ(kept.report.kind, Materialization::kPhysical) << "the policy has learnt";
  ASSERT_OK(w.run("main", "set a 1"));
  EXPECT_EQ(take(w).report.kind, Materialization::kVirtual) << "and not more than it saw";
  expect_back(w, kept);
}

TEST_F(VirtualNodeTest, OfSeveralCommandsNoneIsBlamedAndTheSameInARowAreMadePhysical) {
  SessionWorld w("lazy");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "set a 1"));
  ASSERT_OK(w.run("main", "hidden r"));
  const Kept lost = take(w);
  ASSERT_EQ(lost.report.kind, Materialization::kVirtual);
  EXPECT_FALSE(w.back("main", lost.report.node).ok());
  for (const LogEntry& entry : w.node(lost.report.node).log) EXPECT_FALSE(entry.diverged_before);
  ASSERT_OK(w.restart());
  ASSERT_OK(w.run("main", "set a 1"));
  EXPECT_EQ(take(w).report.kind, Materialization::kVirtual) << "it may well be innocent";
  ASSERT_OK(w.run("main", "nop"));
  ASSERT_OK(w.run("main", "set a 1"));
  ASSERT_OK(w.run("main", "hidden r"));
  const Kept kept = take(w);
  EXPECT_EQ(kept.report.kind, Materialization::kPhysical);
  EXPECT_THAT(kept.report.why, HasSubstr("led to another state"));
  ASSERT_OK(w.run("main", "set a 2"));
  expect_back(w, kept);
}

TEST_F(VirtualNodeTest, NodeOnTheWayIsSuspectedTooUnlessItsReplayWasProven) {
  SessionWorld w("lazy");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "hidden r"));
  take(w);
  ASSERT_OK(w.run("main", "set a 1"));
  const Kept second = take(w);
  Status back = w.back("main", second.report.node);
  ASSERT_FALSE(back.ok());
  EXPECT_THAT(back.error().message, HasSubstr("node " + second.report.node.value()));
  ASSERT_OK(w.run("main", "hidden r"));
  EXPECT_EQ(take(w).report.kind, Materialization::kPhysical) << "it is to blame";
}

TEST_F(VirtualNodeTest, NodeOfVersion010WithALongOutputComesBackAndIsSaidToBeUnproven) {
  SessionWorld w("lazy");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "set a 1"));
  ASSERT_OK(w.run("main", "long 5000"));
  const Kept kept = take(w);
  ASSERT_EQ(kept.report.kind, Materialization::kVirtual);
  // As its catalog is read now: neither a digest nor a hash of what was cut off.
  ASSERT_OK(w.catalog.rewrite(w.id, [](SessionImage& image) {
    Node& node = image.nodes.back();
    node.proof.reset();
    node.quiet = false;
    node.log[1].output_hash = hash_text(node.log[1].output_excerpt);
  }));
  ASSERT_OK(w.restart());
  ASSERT_OK_AND_ASSIGN(RestoreReport report, w.session().restore(kMain, kept.report.node.value()));
  EXPECT_THAT(report.unproven, HasSubstr("only a part was recorded"));
  EXPECT_EQ(w.dump("main"), kept.state);
  ASSERT_OK(w.run("main", "set a 2"));
  EXPECT_EQ(take(w).report.kind, Materialization::kPhysical);
}

TEST_F(VirtualNodeTest, NodeWhoseDigestAnotherVersionMadeComesBackAndIsSaidToBeUnproven) {
  SessionWorld w("lazy");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "set a 1"));
  const Kept kept = take(w);
  ASSERT_OK(w.catalog.rewrite(
      w.id, [](SessionImage& image) { image.nodes.back().proof->digest = "format:0 files:1"; }));
  ASSERT_OK(w.restart());
  ASSERT_OK_AND_ASSIGN(RestoreReport report, w.session().restore(kMain, kept.report.node.value()));
  EXPECT_THAT(report.unproven, HasSubstr("another version"));
  EXPECT_EQ(w.dump("main"), kept.state);
  ASSERT_OK(w.run("main", "set a 2"));
  EXPECT_EQ(take(w).report.kind, Materialization::kPhysical);
}

TEST_F(VirtualNodeTest, SlowHostIsNoDivergence) {
  SessionWorld w("lazy");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "set a 1"));
  const Kept kept = take(w);
  ASSERT_OK(w.run("main", "set a 2"));
  w.backend.be_slow(3, 150);  // more than a second
  ASSERT_OK(w.back("main", kept.report.node));
  EXPECT_EQ(w.dump("main"), kept.state);
}

TEST_F(VirtualNodeTest, DifferentStateIsNeverPromoted) {
  SessionWorld w("smart");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "hidden r"));
  ASSERT_OK(w.run("main", "slow 4"));
  const Kept kept = take(w);
  ASSERT_EQ(kept.report.kind, Materialization::kVirtual);
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(w.back("main", kept.report.node).ok());
  EXPECT_FALSE(w.node(kept.report.node).is_physical());
}

TEST_F(VirtualNodeTest, SnapshotAfterAnAcceptedDivergenceIsPhysicalAndComesBack) {
  for (const char* command : {"flaky", "hidden r"}) {
    SessionWorld w("lazy");
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
    ASSERT_OK_AND_ASSIGN(SnapshotReport forked, w.session().snapshot(*forks.branches[0]));
    EXPECT_EQ(forked.kind, Materialization::kPhysical);
  }
}

TEST_F(VirtualNodeTest, ReplayHappensInTheWindowOfTheRecording) {
  SessionWorld w("lazy");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "dump"));  // prints the window
  const Kept small = take(w);
  ASSERT_OK(w.session().resize(kMain, 50, 200));
  ASSERT_OK(w.back("main", small.report.node));
  EXPECT_EQ(w.machine("main")->rows, 50) << "the window is the place's";
  ASSERT_OK(w.run("main", "dump"));
  const Kept large = take(w);
  EXPECT_EQ(large.report.kind, Materialization::kVirtual);
  ASSERT_OK(w.session().resize(kMain, 30, 90));
  ASSERT_OK(w.back("main", large.report.node));
  EXPECT_EQ(w.machine("main")->rows, 30);
  ASSERT_OK_AND_ASSIGN(ForkReport forks, w.session().fork(kMain, large.report.node.value(), {}));
  ASSERT_OK(forks.branches[0]);
  EXPECT_EQ(w.machine(forks.branches[0]->value())->rows, 50) << "a fork has the recording's";
}

TEST_F(VirtualNodeTest, NodeWithoutADigestIsMadePhysical) {
  test::FakeBackendOptions options;
  options.has_digests = false;
  SessionWorld w("lazy", options);
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
      << "what can neither be captured nor proven is no node";
}

TEST_F(VirtualNodeTest, ProofStaysGoodWhenANodeOnTheWayBecomesPhysical) {
  SessionWorld w("lazy");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "set a 1"));
  take(w);
  ASSERT_OK(w.run("main", "append a 2"));
  const Kept second = take(w);
  ASSERT_OK(w.restart());
  ASSERT_OK(w.run("main", "set a lost"));
  expect_back(w, second);
  const Kept again = take(w);
  EXPECT_EQ(again.report.kind, Materialization::kVirtual) << "nothing was done since";
  expect_back(w, again);
}

TEST_F(VirtualNodeTest, LostSnapshotIsReplayedAndSaidToBeUnproven) {
  SessionWorld w("eager");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "set a 1"));
  const Kept kept = take(w);
  ASSERT_TRUE(kept.report.physical.has_value());
  ASSERT_OK(w.backend.remove(kept.report.physical->ref));
  ASSERT_OK(w.restart());
  ASSERT_OK_AND_ASSIGN(RestoreReport report, w.session().restore(kMain, kept.report.node.value()));
  EXPECT_THAT(report.unproven, HasSubstr("no digest"));
  EXPECT_EQ(w.dump("main"), kept.state);
  ASSERT_OK(w.run("main", "set a 2"));
  EXPECT_EQ(take(w, {.wanted = std::nullopt}).report.kind, Materialization::kPhysical);
}

}  // namespace
}  // namespace sf::control
