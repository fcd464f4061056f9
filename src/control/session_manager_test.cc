#include "control/session_manager.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "control/policy_names.h"
#include "testing/matchers.h"
#include "testing/session_fixture.h"

namespace sf::control {
namespace {

using test::SessionFixture;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const BranchId kMain{"main"};

test::FakeBackendOptions replay_only() {
  test::FakeBackendOptions options;
  options.capabilities.physical_snapshots = false;
  return options;
}

TEST(SessionTest, NewSessionHasMainAtAPhysicalRoot) {
  SessionFixture w("lazy");
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

// session_manager.h shows this code.
TEST(SessionTest, ExampleOfTheHeaderRuns) {
  test::FakeBackend backend;
  test::MemoryCatalog catalog;
  auto policy = make_policy("eager", CostModel(backend.expected_cost())).value();
  const SessionPorts ports{backend, catalog, *policy, [] { return WallTime(); }};
  auto session = SessionManager::build_session(ports, {.id = SessionId("s1")}).value();
  session->exec_command(kMain, {.command = "set a 1"}).value();
  NodeId before = session->snapshot(kMain).value().node;
  session->exec_command(kMain, {.command = "set a 2"}).value();
  NodeId after = session->snapshot(kMain).value().node;
  session->restore(kMain, before.value()).value();
  session->fork(kMain, "HEAD", {.count = 4}).value();
  session->cleanup(kMain, after.value(), Force::kNo).value();
  EXPECT_EQ(session->exec_command(kMain, {.command = "get a"}).value().output, "1\n");
}

TEST(SessionTest, RootThatCannotBeCapturedIsStartedAgain) {
  SessionFixture w;
  w.backend.fail_checkpoints(ErrorCode::kUnsupported);
  ASSERT_OK(w.build());
  EXPECT_THAT(w.node(NodeId("n0")).notes["statefork.why_virtual"], HasSubstr("descriptor"));
  ASSERT_OK(w.run("main", "set a 1"));
  NodeId here = w.mark("main");
  ASSERT_OK(w.run("main", "set a 2"));
  ASSERT_OK(w.back("main", here));
  EXPECT_THAT(w.dump("main"), HasSubstr("a=1\n"));
}

TEST(SessionTest, InvalidIdsNamesAndSizesAreRefusedWithoutEffect) {
  SessionFixture w;
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

TEST(SessionTest, RestoreOfAPhysicalNodeRestoresTheWholeState) {
  SessionFixture w("eager");
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

TEST(SessionTest, RestoreOfAVirtualNodeReplaysFromItsNearestPhysicalAncestor) {
  SessionFixture w("every-2");
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

TEST(SessionTest, BackendWithoutSnapshotsReplaysFromTheStart) {
  SessionFixture w("eager", replay_only());
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

TEST(SessionTest, RefusedCommandIsNotInTheLog) {
  SessionFixture w("lazy");
  ASSERT_OK(w.build());
  EXPECT_EQ(w.run("main", "no-such-command").error().code, ErrorCode::kInvalidArgument);
  ASSERT_OK(w.run("main", "set a 1"));
  ASSERT_OK_AND_ASSIGN(SnapshotReport report, w.session().snapshot(kMain));
  EXPECT_EQ(report.kind, Materialization::kVirtual);
  EXPECT_EQ(w.node(report.node).log.size(), 1U);
}

TEST(SessionTest, ForksAreIsolatedFromEachOtherAndFromTheirNode) {
  for (const char* policy : {"eager", "lazy", "smart"}) {
    SessionFixture w(policy);
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

TEST(SessionTest, CleanupRemovesTheSubtreeAndFreesItsBytes) {
  SessionFixture w("eager");
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

TEST(SessionTest, ForcedCleanupEndsTheBranchesOfTheSubtree) {
  SessionFixture w("eager");
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

TEST(SessionTest, ErrorAboutAnUnknownBranchListsTheBranches) {
  SessionFixture w;
  ASSERT_OK(w.build());
  ASSERT_OK(w.session().fork(kMain, "HEAD", {.count = 1}));
  for (const Error& error :
       {w.run("nowhere", "nop").error(), w.session().end_branch(BranchId("nowhere")).error()}) {
    EXPECT_EQ(error.code, ErrorCode::kNotFound);
    EXPECT_EQ(error.describe(), "no such branch: nowhere (branches: b1, main)");
  }
}

TEST(SessionTest, RootIsRemovedOnlyWithItsSession) {
  SessionFixture w;
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

TEST(SessionTest, FailedRemovalsAreRetriedByTheGarbageCollection) {
  SessionFixture w("eager");
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

TEST(SessionTest, LostBranchIsReportedAndRevivedByARestore) {
  SessionFixture w("eager");
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

TEST(SessionTest, RestartKeepsTheWholeSession) {
  SessionFixture w("lazy");
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

TEST(SessionTest, RestartMarksPartsThatTheBackendLost) {
  SessionFixture w("eager");
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
  EXPECT_EQ(w.back("main", here).error().code, ErrorCode::kDiverged) << "nothing proves a replay";
  ASSERT_OK(w.session().restore(kMain, here.value(), OnDivergence::kAccept))
      << "by replay from the root";
  EXPECT_THAT(w.dump("main"), HasSubstr("a=1\n"));
}

TEST(SessionTest, DiffComparesNodesAndTheLiveBranch) {
  SessionFixture w("lazy");
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
  EXPECT_THAT(w.broken_rules(), IsEmpty()) << "the copies were discarded";
}

TEST(SessionTest, LimitsAreEnforced) {
  SessionFixture w("eager", {}, {.max_nodes = 2, .max_branches = 2, .max_notes = 1});
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

}  // namespace
}  // namespace sf::control
