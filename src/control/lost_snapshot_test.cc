// Nodes that lost their snapshot: a replay of such a node is never reported as proven.
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

TEST(LostSnapshotTest, NodeThatLostItsSnapshotIsRefusedUnlessTheDoubtIsAccepted) {
  // The command changes a state that no output shows, so its replay leads to another state.
  for (const char* command : {"set a 1", "hidden r"}) {
    SessionFixture w("eager");
    ASSERT_OK(w.build());
    ASSERT_OK(w.run("main", command));
    const Kept kept = take(w);
    ASSERT_TRUE(kept.report.physical.has_value());
    ASSERT_OK(w.backend.remove(kept.report.physical->ref));
    ASSERT_OK(w.restart());
    ASSERT_OK(w.run("main", "set now 1"));
    const std::string now = w.dump("main");
    Status back = w.back("main", kept.report.node);
    ASSERT_FALSE(back.ok());
    EXPECT_EQ(back.error().code, ErrorCode::kDiverged);
    EXPECT_THAT(back.error().message, HasSubstr("cannot be compared: the node has no digest"));
    EXPECT_THAT(back.error().hint, HasSubstr("accept"));
    ASSERT_TRUE(divergence_of(back.error()).has_value());
    EXPECT_EQ(w.dump("main"), now) << "the branch is unchanged";
    ASSERT_OK_AND_ASSIGN(ForkReport forks, w.session().fork(kMain, kept.report.node.value(), {}));
    EXPECT_EQ(forks.branches[0].error().code, ErrorCode::kDiverged);
    EXPECT_EQ(w.session().diff(kMain, kept.report.node.value(), "n0").error().code,
              ErrorCode::kDiverged);
    EXPECT_FALSE(w.node(kept.report.node).log[0].diverged_before) << "no command caused it";

    ASSERT_OK_AND_ASSIGN(RestoreReport report, w.session().restore(kMain, kept.report.node.value(),
                                                                   OnDivergence::kAccept));
    EXPECT_THAT(report.unproven, HasSubstr("no digest"));
    ASSERT_OK(w.run("main", "set a 2"));
    EXPECT_EQ(take(w).report.kind, Materialization::kPhysical);
    EXPECT_THAT(w.broken_rules(), IsEmpty());
  }
}

TEST(LostSnapshotTest, RestoreOfARootWithoutASnapshotReportsANewStart) {
  for (const bool was_lost : {false, true}) {
    SessionFixture w("eager");
    if (!was_lost) w.backend.fail_checkpoints(ErrorCode::kNoSpace);
    ASSERT_OK(w.build());
    w.backend.fail_checkpoints(std::nullopt);
    const NodeId root("n0");
    if (was_lost) {
      ASSERT_OK(w.backend.remove(w.node(root).physical->ref));
      ASSERT_OK(w.restart());
    }
    ASSERT_FALSE(w.node(root).is_physical());
    ASSERT_OK_AND_ASSIGN(RestoreReport report, w.session().restore(kMain, "n0"));
    EXPECT_THAT(report.unproven, HasSubstr("started again"));
    ASSERT_OK_AND_ASSIGN(ForkReport forks, w.session().fork(kMain, "n0", {}));
    EXPECT_THAT(forks.unproven, HasSubstr("started again"));
    // A replay begins with the same start, so a virtual node is still possible.
    ASSERT_OK(w.run("main", "set a 1"));
    const Kept kept = take(w, {.wanted = Materialization::kVirtual});
    EXPECT_EQ(kept.report.kind, Materialization::kVirtual);
    ASSERT_OK_AND_ASSIGN(report, w.session().restore(kMain, kept.report.node.value()));
    EXPECT_EQ(report.unproven, "");
    expect_back(w, kept);
  }
  SessionFixture w("eager");
  ASSERT_OK(w.build());
  ASSERT_OK_AND_ASSIGN(RestoreReport report, w.session().restore(kMain, "n0"));
  EXPECT_EQ(report.unproven, "");
}

TEST(LostSnapshotTest, NodeWithBackgroundActivityIsNotReplacedByItsParent) {
  SessionFixture w("eager");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "spawn job"));
  take(w);
  w.backend.let_processes_act(handle(w));
  const Kept moved = take(w);  // no command since: its log is empty
  ASSERT_TRUE(moved.report.physical.has_value());
  ASSERT_OK(w.backend.remove(moved.report.physical->ref));
  ASSERT_OK(w.restart());
  Status back = w.back("main", moved.report.node);
  ASSERT_FALSE(back.ok());
  EXPECT_EQ(back.error().code, ErrorCode::kDiverged);
  EXPECT_THAT(back.error().message, HasSubstr("ran by itself"));
  ASSERT_OK_AND_ASSIGN(ForkReport forks,
                       w.session().fork(kMain, moved.report.node.value(), {.count = 2}));
  for (const Result<BranchId>& branch : forks.branches)
    EXPECT_EQ(branch.error().code, ErrorCode::kDiverged);
  EXPECT_EQ(w.session().diff(kMain, moved.report.node.value(), "n0").error().code,
            ErrorCode::kDiverged);
  ASSERT_OK_AND_ASSIGN(RestoreReport report, w.session().restore(kMain, moved.report.node.value(),
                                                                 OnDivergence::kAccept));
  EXPECT_THAT(report.unproven, HasSubstr("ran by itself"));
}

TEST(LostSnapshotTest, NodeWithoutCommandsIsRestoredFromItsQuietParent) {
  SessionFixture w("lazy");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "set a 1"));
  take(w, {.wanted = Materialization::kPhysical});
  const Kept same = take(w);
  ASSERT_EQ(same.report.kind, Materialization::kVirtual);
  ASSERT_OK(w.run("main", "set a 2"));
  expect_back(w, same);
}

TEST(LostSnapshotTest, NodeWhoseDigestIsRelativeToALostSnapshotIsRefusedUnlessAccepted) {
  SessionFixture w("lazy");
  ASSERT_OK(w.build());
  ASSERT_OK(w.run("main", "set a 1"));
  const Kept base = take(w, {.wanted = Materialization::kPhysical});
  ASSERT_OK(w.run("main", "set b 1"));
  const Kept kept = take(w);
  ASSERT_EQ(kept.report.kind, Materialization::kVirtual);
  ASSERT_OK(w.backend.remove(base.report.physical->ref));
  ASSERT_OK(w.restart());
  Status back = w.back("main", kept.report.node);
  ASSERT_FALSE(back.ok());
  EXPECT_EQ(back.error().code, ErrorCode::kDiverged);
  EXPECT_THAT(back.error().message, HasSubstr("relative to is gone"));
  ASSERT_OK_AND_ASSIGN(RestoreReport report,
                       w.session().restore(kMain, kept.report.node.value(), OnDivergence::kAccept));
  EXPECT_THAT(report.unproven, HasSubstr("relative to is gone"));
  EXPECT_EQ(w.dump("main"), kept.state);
}

}  // namespace
}  // namespace sf::control
