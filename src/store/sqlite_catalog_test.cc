#include "store/sqlite_catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <thread>

#include "control/cost_model.h"
#include "control/fixed_policies.h"
#include "control/policy_names.h"
#include "control/session_manager.h"
#include "testing/change_maker.h"
#include "testing/fake_backend.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace rc {

template <>
struct Arbitrary<sf::test::ChangeSeed> {
  static Gen<sf::test::ChangeSeed> arbitrary() {
    using sf::test::ChangeMaker;
    using sf::test::ChangeSeed;
    auto number = gen::inRange(0U, 1000U);
    return gen::build<ChangeSeed>(
        gen::set(&ChangeSeed::kind, gen::inRange(0U, ChangeMaker::kKinds)),
        gen::set(&ChangeSeed::branch, number), gen::set(&ChangeSeed::node, number),
        gen::set(&ChangeSeed::detail, number));
  }
};

}  // namespace rc

namespace sf::test {
void showValue(const ChangeSeed& seed, std::ostream& out) {  // NOLINT: rapidcheck's
  out << "{" << seed.kind << ", " << seed.branch << ", " << seed.node << ", " << seed.detail << "}";
}
}  // namespace sf::test

namespace sf::store {
namespace {

using namespace control;  // NOLINT: this file is about nothing else
using test::ChangeMaker;
using test::ChangeSeed;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const SessionId kSession{"s1"};
const BranchId kMain{"main"};

// Empty, or the difference between the loaded image and the tree.
std::string difference(const SessionImage& loaded, const BranchTree& tree) {
  Result<BranchTree> again = BranchTree::from_image(loaded);
  if (!again.ok()) return again.error().describe();
  if (again->image() != tree.image()) return "the records differ";
  if (loaded.counters != tree.counters()) return "the counters differ";
  return "";
}

class SqliteCatalogTest : public ::testing::Test {
 protected:
  void SetUp() override { open(); }
  void open() {
    catalog.reset();
    ASSERT_OK_AND_ASSIGN(catalog, SqliteCatalog::open(dir / "catalog.sqlite"));
  }
  Status append(std::vector<Edit> edits, Counters counters = {.next_node = 1}) {
    return catalog->append({.session = kSession,
                            .operation = "test",
                            .counters = counters,
                            .edits = std::move(edits)});
  }
  // n0 - n1 - n2 (main is at n2)
  void build() {
    ASSERT_OK(append({edit::PutSession{{.id = kSession, .backend = "fake"}},
                      edit::AddNode{{.id = NodeId("n0")}},
                      edit::AddNode{{.id = NodeId("n1"), .name = "one", .parent = NodeId("n0")}},
                      edit::AddNode{{.id = NodeId("n2"),
                                     .parent = NodeId("n1"),
                                     .log = {LogEntry{.text = "a"}, LogEntry{.text = "b"}}}},
                      edit::AddBranch{{.id = kMain, .node = NodeId("n2")}}}));
  }
  SessionImage loaded() { return catalog->load_all().value().front(); }
  void expect_refused(std::vector<Edit> edits, ErrorCode code) {
    SessionImage before = loaded();
    std::size_t told = catalog->operations({}).value().size();
    // The first edit is valid, so the catalog must undo it.
    edits.insert(edits.begin(), edit::SetNote{NodeId("n0"), "half", "done"});
    Status refused = append(std::move(edits));
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, code) << refused.error().describe();
    EXPECT_THAT(refused.error().message, HasSubstr("recording test of session s1"));
    EXPECT_EQ(loaded(), before);
    EXPECT_EQ(catalog->operations({}).value().size(), told);
  }
  test::TempDir dir;
  std::unique_ptr<SqliteCatalog> catalog;
};

RC_GTEST_PROP(SqliteCatalogProperty, EveryChangeComesBackAsItWasWritten,
              (const std::vector<ChangeSeed>& seeds)) {
  test::TempDir dir;
  ChangeMaker makers[] = {ChangeMaker(SessionId("s1")), ChangeMaker(SessionId("s2"))};
  auto catalog = SqliteCatalog::open(dir / "catalog.sqlite").value();
  for (const ChangeSeed& seed : seeds) {
    Status written = catalog->append(makers[seed.detail % 2].next(seed));
    if (!written.ok()) RC_FAIL(written.error().describe());
  }
  catalog.reset();
  catalog = SqliteCatalog::open(dir / "catalog.sqlite").value();
  std::vector<SessionImage> loaded = catalog->load_all().value();
  std::map<SessionId, SessionImage> images;
  for (SessionImage& image : loaded) images[image.session.id] = std::move(image);
  for (int i = 0; i < 2; ++i) {
    auto found = images.find(SessionId("s" + std::to_string(i + 1)));
    RC_ASSERT((found != images.end()) == makers[i].is_there());
    if (found != images.end()) RC_ASSERT(difference(found->second, makers[i].tree()) == "");
  }
  RC_ASSERT(catalog->operations({.limit = 10'000}).value().size() == seeds.size());
}

TEST_F(SqliteCatalogTest, LongRandomHistoryIsLoadedCompletely) {
  ChangeMaker maker(kSession);
  for (unsigned i = 0; i < 3000; ++i) {
    std::uint64_t mix = hash_text(std::to_string(i));
    ChangeSeed seed{.kind = static_cast<unsigned>(mix % ChangeMaker::kKinds),
                    .branch = static_cast<unsigned>(mix >> 8U) % 100,
                    .node = static_cast<unsigned>(mix >> 16U) % 1000,
                    .detail = static_cast<unsigned>(mix >> 32U) % 2000};
    if (seed.kind == 19) seed.kind = 0;  // the session does not end
    ASSERT_OK(catalog->append(maker.next(seed)));
    if (i % 500 == 0) open();
  }
  open();
  EXPECT_EQ(difference(loaded(), maker.tree()), "");
  EXPECT_GT(maker.tree().size(), 20U);
  std::vector<CostSample> costs = catalog->measured_costs("fake").value();
  std::vector<CostSample> all = maker.costs();
  ASSERT_GT(all.size(), CostModel::kWindow);
  EXPECT_EQ(costs, std::vector<CostSample>(all.end() - CostModel::kWindow, all.end()));
  EXPECT_THAT(catalog->measured_costs("other").value(), IsEmpty());
}

TEST_F(SqliteCatalogTest, ContradictoryChangesAreRefusedAsAWhole) {
  ASSERT_NO_FATAL_FAILURE(build());
  const NodeId none("n9");
  for (const Edit& edit : std::vector<Edit>{
           edit::AddNode{{.id = NodeId("n3"), .parent = none}}, edit::RemoveNodes{{none}},
           edit::NameNode{none, "x"}, edit::SetNote{none, "k", "v"},
           edit::SetPhysical{none, std::nullopt}, edit::MarkDiverged{none, 0},
           edit::MarkDiverged{NodeId("n2"), 2},
           edit::AddBranch{{.id = BranchId("b"), .node = none}}, edit::RemoveBranch{BranchId("b")},
           edit::MoveBranch{kMain, none, BranchHandle("h")}, edit::LoseBranch{BranchId("b")},
           edit::BeginEntry{BranchId("b"), {}}, edit::FinishEntry{kMain, 0, {}},
           edit::CancelEntry{kMain, 0}}) {
    SCOPED_TRACE(edit.index());
    expect_refused({edit}, ErrorCode::kNotFound);
  }
  for (const Edit& edit :
       std::vector<Edit>{edit::AddNode{{.id = NodeId("n1"), .parent = NodeId("n0")}},
                         edit::AddNode{{.id = NodeId("n3")}},  // a second root
                         edit::AddNode{{.id = NodeId("n3"), .name = "one", .parent = NodeId("n0")}},
                         edit::NameNode{NodeId("n2"), "one"}, edit::RemoveNodes{{NodeId("n1")}},
                         edit::RemoveNodes{{NodeId("n2")}},  // main is at n2
                         edit::AddBranch{{.id = kMain, .node = NodeId("n0")}},
                         edit::PutSession{{.id = SessionId("s2")}}}) {
    SCOPED_TRACE(edit.index());
    expect_refused({edit}, ErrorCode::kInvalidArgument);
  }
}

TEST_F(SqliteCatalogTest, SessionThatWasNeverBuiltIsNotFound) {
  Status refused = append({edit::AddNode{{.id = NodeId("n0")}}});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(refused.error().message, HasSubstr("no session s1"));
}

TEST_F(SqliteCatalogTest, RemovedObjectsLeaveNoRows) {
  ASSERT_NO_FATAL_FAILURE(build());
  ASSERT_OK(append({edit::BeginEntry{kMain, {}}, edit::SetNote{NodeId("n2"), "k", "v"},
                    edit::CommandDiverged{1}}));
  ASSERT_OK(append({edit::RemoveBranch{kMain}, edit::RemoveNodes{{NodeId("n2"), NodeId("n1")}}}));
  auto rows = [&](const char* sql) {
    catalog.reset();
    std::int64_t count = -1;
    {
      CatalogFile file = open_catalog_file(dir / "catalog.sqlite").value();
      count = file.db.number(sql).value().value();
    }
    open();
    return count;
  };
  EXPECT_EQ(rows("SELECT (SELECT count(*) FROM node_log) + (SELECT count(*) FROM pending_log) + "
                 "(SELECT count(*) FROM notes) + (SELECT count(*) FROM branches)"),
            0);
  EXPECT_EQ(rows("SELECT count(*) FROM nodes"), 1);
  ASSERT_OK(append({edit::EndSession{}}));
  EXPECT_EQ(rows("SELECT (SELECT count(*) FROM nodes) + (SELECT count(*) FROM sessions) + "
                 "(SELECT count(*) FROM settings) + (SELECT count(*) FROM diverged_commands)"),
            0);
  EXPECT_THAT(catalog->operations({.session = kSession}).value(), SizeIs(4))
      << "the operation log outlives the session";
}

TEST_F(SqliteCatalogTest, NewestDivergedCommandsAreKept) {
  ASSERT_NO_FATAL_FAILURE(build());
  std::vector<Edit> edits;
  for (std::uint64_t i = 0; i < BranchTree::kMaxDivergedCommands + 10; ++i)
    edits.emplace_back(edit::CommandDiverged{i});
  edits.emplace_back(edit::CommandDiverged{500});  // known already
  ASSERT_OK(append(std::move(edits)));
  std::vector<std::uint64_t> kept = loaded().diverged_commands;
  EXPECT_THAT(kept, SizeIs(BranchTree::kMaxDivergedCommands));
  EXPECT_EQ(kept.front(), 10U);
  EXPECT_EQ(kept.back(), BranchTree::kMaxDivergedCommands + 9);
}

TEST_F(SqliteCatalogTest, OperationsAreReadInPagesAndTrimmedOldestFirst) {
  ASSERT_NO_FATAL_FAILURE(build());
  for (int i = 0; i < 9; ++i)
    ASSERT_OK(append({edit::SetNote{NodeId("n0"), "k", std::to_string(i)}}));
  ASSERT_OK(catalog->append({.session = SessionId("s2"),
                             .operation = "build_session",
                             .at = WallTime(microseconds(77)),
                             .took = microseconds(5),
                             .edits = {edit::PutSession{{.id = SessionId("s2"), .name = "two"}}}}));
  auto sequences = [&](const OperationQuery& query) {
    std::vector<OperationRecord> found = catalog->operations(query).value();
    std::vector<std::uint64_t> numbers;
    for (const OperationRecord& record : found) numbers.push_back(record.sequence);
    return numbers;
  };
  EXPECT_THAT(sequences({.session = kSession, .limit = 3}), ElementsAre(1, 2, 3));
  EXPECT_THAT(sequences({.session = kSession, .after = 8}), ElementsAre(9, 10));
  EXPECT_THAT(sequences({.after = 8}), ElementsAre(9, 10, 11));
  EXPECT_THAT(sequences({.limit = 2, .which = OperationQuery::Which::kNewest}),
              ElementsAre(10, 11));
  EXPECT_THAT(sequences({.session = kSession, .limit = 2, .which = OperationQuery::Which::kNewest}),
              ElementsAre(9, 10));
  EXPECT_THAT(sequences({.after = UINT64_MAX}), IsEmpty());
  EXPECT_THAT(catalog->operations({.session = SessionId("s2")}).value(),
              ElementsAre(OperationRecord{.sequence = 11,
                                          .at = WallTime(microseconds(77)),
                                          .session = SessionId("s2"),
                                          .operation = "build_session",
                                          .took = microseconds(5),
                                          .detail = "two"}));

  EXPECT_EQ(catalog->trim_operations(UINT64_MAX).value(), 0U);
  EXPECT_EQ(catalog->trim_operations(2).value(), 9U);
  EXPECT_THAT(sequences({}), ElementsAre(10, 11));
  EXPECT_EQ(catalog->trim_operations(0).value(), 2U);
  ASSERT_OK(append({edit::SetNote{NodeId("n0"), "k", "last"}}));
  EXPECT_THAT(sequences({}), ElementsAre(12)) << "numbers are not reused";
}

TEST_F(SqliteCatalogTest, LongestCommandFitsAndMuchLongerValuesAreRefused) {
  ASSERT_NO_FATAL_FAILURE(build());
  ASSERT_OK(append({edit::BeginEntry{kMain, {.text = std::string(kMaxCommand, '\xff')}}}));
  expect_refused({edit::BeginEntry{kMain, {.text = std::string(65U << 20U, 'x')}}},
                 ErrorCode::kInvalidArgument);
  EXPECT_EQ(loaded().branches.front().pending.front().text.size(), kMaxCommand);
}

TEST_F(SqliteCatalogTest, SessionsOfManyThreadsDoNotMix) {
  constexpr int kThreads = 4;
  std::vector<ChangeMaker> makers;
  for (int t = 0; t < kThreads; ++t) makers.emplace_back(SessionId("s" + std::to_string(t)));
  std::vector<std::thread> threads;
  std::atomic<int> failures = 0;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (unsigned i = 0; i < 200; ++i) {
        ChangeSeed seed{.kind = (i * 7 + static_cast<unsigned>(t)) % 19, .node = i, .detail = i};
        if (!catalog->append(makers[static_cast<std::size_t>(t)].next(seed)).ok()) failures += 1;
        if (i % 50 == 0 && !catalog->load_all().ok()) failures += 1;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  std::vector<SessionImage> images = catalog->load_all().value();
  ASSERT_THAT(images, SizeIs(kThreads));
  for (const SessionImage& image : images) {
    auto number = static_cast<std::size_t>(image.session.id.value().back() - '0');
    EXPECT_EQ(difference(image, makers[number].tree()), "");
  }
}

TEST_F(SqliteCatalogTest, RealSessionIsLoadedAgain) {
  test::FakeBackend backend;
  auto policy = make_policy("smart", CostModel(backend.expected_cost())).value();
  SessionPorts ports{backend, *catalog, *policy, [] { return WallTime(microseconds(1)); }};
  auto session = SessionManager::build_session(ports, {.id = kSession, .name = "real"}).value();
  ASSERT_OK(session->exec_command(kMain, {.command = "set a 1"}));
  NodeId here = session->snapshot(kMain, {.name = "here"}).value().node;
  ASSERT_OK(session->exec_command(kMain, {.command = "random a"}));
  ASSERT_OK(session->snapshot(kMain, {.wanted = Materialization::kVirtual}));
  ASSERT_OK(session->fork(kMain, "here", {.count = 2}));
  ASSERT_OK(session->set_note(kMain, "here", "plan", "try again"));
  ASSERT_OK(session->send_keys(kMain, "\x03"));
  ASSERT_OK(session->restore(kMain, here.value()));
  ASSERT_OK(session->exec_command(kMain, {.command = "append a 2"}));
  SessionImage memory = session->read([](const BranchTree& tree) { return tree.image(); });
  BranchTree tree = BranchTree::from_image(memory).value();
  session.reset();
  open();
  EXPECT_EQ(difference(loaded(), tree), "");
  SessionPorts again{backend, *catalog, *policy, [] { return WallTime(microseconds(2)); }};
  ASSERT_OK_AND_ASSIGN(session,
                       SessionManager::reopen(again, loaded(), backend.inventory().value()));
  ASSERT_OK_AND_ASSIGN(Observation seen, session->exec_command(kMain, {.command = "get a"}));
  EXPECT_EQ(seen.output, "12\n");
  ASSERT_OK(session->end_session());
  EXPECT_THAT(catalog->load_all().value(), IsEmpty());
}

}  // namespace
}  // namespace sf::store
