// Upgrades: old files stay readable, and a failed step changes nothing.
#include "store/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "os/file.h"
#include "store/sqlite_catalog.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace sf::store {
namespace {

using namespace control;  // NOLINT: this file is about nothing else
using ::testing::HasSubstr;
using ::testing::SizeIs;

// A session as version 1 wrote it. Every later version must read it.
constexpr const char* kVersion1Rows = R"sql(
INSERT INTO sessions VALUES(3, 's1', 'demo', 'waypoint', 'smart', 1000, 9, 4);
INSERT INTO settings VALUES(3, 'config', 'root', '/srv');
INSERT INTO settings VALUES(3, 'config', 'rows', '50');
INSERT INTO settings VALUES(3, 'env', 'PATH', x'2f62696eff');
INSERT INTO settings VALUES(3, 'capability', '0', 'CAP_SYS_PTRACE');
INSERT INTO settings VALUES(3, 'label', 'owner', 'me');
INSERT INTO nodes VALUES(10, 3, 'n0', '', NULL, 'main', 0, 1001, 'c-1', 5000, 600, 70, 8);
INSERT INTO nodes VALUES(12, 3, 'n8', 'here', 10, 'main', 1, 1002, NULL, 0, 0, 0, 0);
INSERT INTO notes VALUES(12, 'plan', x'00ff');
INSERT INTO branches VALUES(7, 3, 'main', 12, 'k-1', 0, 1003);
INSERT INTO node_log VALUES(12, 0, 1, 120000, 1048576, 2, -1, 6, 900, 0, 0, 1, 0, 0, 0, 'make', '', 'no rule');
INSERT INTO pending_log VALUES(7, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, x'1b5b41', '', '');
INSERT INTO costs VALUES(1, 'waypoint', 600, 70);
INSERT INTO diverged_commands VALUES(1, 3, -2);
INSERT INTO operations VALUES(41, 1004, 's1', 'snapshot', 'main', 'n8', 5, 0, 'virtual');
)sql";

SessionImage version_1_session() {
  SessionImage image;
  image.session = {.id = SessionId("s1"),
                   .name = "demo",
                   .backend = "waypoint",
                   .policy = "smart",
                   .created = WallTime(microseconds(1000)),
                   .labels = {{"owner", "me"}}};
  image.session.config.root = "/srv";
  image.session.config.rows = 50;
  image.session.config.env = {{"PATH", "/bin\xff"}};
  image.session.config.extra_capabilities = {"CAP_SYS_PTRACE"};
  image.counters = {.next_node = 9, .next_branch = 4};
  image.nodes = {{.id = NodeId("n0"),
                  .origin = BranchId("main"),
                  .physical = PhysicalState{.ref = PhysicalRef("c-1"),
                                            .bytes = 5000,
                                            .memory_bytes = 600,
                                            .took = microseconds(70),
                                            .stopped = microseconds(8)},
                  .created = WallTime(microseconds(1001))},
                 {.id = NodeId("n8"),
                  .name = "here",
                  .parent = NodeId("n0"),
                  .origin = BranchId("main"),
                  .unchanged = true,
                  .log = {{.text = "make",
                           .timeout = seconds(120),
                           .max_output = 1U << 20U,
                           .exit_code = 2,
                           .output_hash = UINT64_MAX,
                           .output_bytes = 6,
                           .output_excerpt = "no rule",
                           .duration = microseconds(900),
                           .left_background = true}},
                  .notes = {{"plan", std::string("\0\xff", 2)}},
                  .created = WallTime(microseconds(1002))}};
  image.branches = {{.id = BranchId("main"),
                     .node = NodeId("n8"),
                     .pending = {{.kind = EntryKind::kKeys, .text = "\x1b[A"}},
                     .handle = BranchHandle("k-1"),
                     .alive = false,
                     .created = WallTime(microseconds(1003))}};
  image.diverged_commands = {UINT64_MAX - 1};
  return image;
}

class SchemaTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_NO_FATAL_FAILURE(make_version_1()); }
  // A file as an old program left it.
  void make_version_1() {
    ASSERT_OK(os::write_file(path, ""));
    ASSERT_OK_AND_ASSIGN(Database db, Database::open(path));
    ASSERT_OK(db.script(schema_steps().front().sql));
    ASSERT_OK(db.script(kVersion1Rows));
    ASSERT_OK(db.script("PRAGMA user_version = 1; PRAGMA application_id = 0x53466361"));
  }
  test::TempDir dir;
  const std::string path = dir / "catalog.sqlite";
};

TEST_F(SchemaTest, CatalogOfVersion1IsReadCorrectly) {
  ASSERT_OK_AND_ASSIGN(auto catalog, SqliteCatalog::open(path));
  ASSERT_OK_AND_ASSIGN(std::vector<SessionImage> images, catalog->load_all());
  ASSERT_THAT(images, SizeIs(1));
  EXPECT_EQ(images.front(), version_1_session());
  ASSERT_OK_AND_ASSIGN(auto costs, catalog->measured_costs("waypoint"));
  EXPECT_EQ(costs, (std::vector<CostSample>{{600, microseconds(70)}}));
  ASSERT_OK_AND_ASSIGN(auto operations, catalog->operations({}));
  ASSERT_THAT(operations, SizeIs(1));
  EXPECT_EQ(operations.front().sequence, 41U);
  EXPECT_EQ(operations.front().detail, "virtual");
}

TEST_F(SchemaTest, EveryStepRaisesTheVersionByOne) {
  int version = 0;
  for (const SchemaStep& step : schema_steps()) EXPECT_EQ(step.version, ++version);
}

// Steps like those of a later version. One rebuilds a table that others refer to.
constexpr const char* kRebuildSessions = R"sql(
CREATE TABLE new_sessions(key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
  backend TEXT NOT NULL, policy TEXT NOT NULL, created_us INTEGER NOT NULL,
  next_node INTEGER NOT NULL DEFAULT 0, next_branch INTEGER NOT NULL DEFAULT 1,
  color TEXT NOT NULL);
INSERT INTO new_sessions SELECT *, 'red' FROM sessions;
DROP TABLE sessions;
ALTER TABLE new_sessions RENAME TO sessions;
)sql";

TEST_F(SchemaTest, LaterStepsRunInOrderAndKeepTheData) {
  const std::array<SchemaStep, 3> steps = {{schema_steps().front(),
                                            {2, kRebuildSessions},
                                            {3, "UPDATE sessions SET color = color || '-ish'"}}};
  ASSERT_OK_AND_ASSIGN(CatalogFile file, open_catalog_file(path, steps));
  ASSERT_OK_AND_ASSIGN(int version, schema_version(file.db));
  EXPECT_EQ(version, 3);
  ASSERT_OK_AND_ASSIGN(Rows rows, file.db.query("SELECT id, color FROM sessions"));
  ASSERT_OK_AND_ASSIGN(bool there, rows.next());
  ASSERT_TRUE(there);
  EXPECT_EQ(rows.bytes(0) + " " + rows.bytes(1), "s1 red-ish");
  ASSERT_OK_AND_ASSIGN(auto nodes, file.db.number("SELECT count(*) FROM nodes"));
  EXPECT_EQ(nodes, 2);
}

TEST_F(SchemaTest, FailedStepLeavesThePreviousVersion) {
  const std::array<SchemaStep, 3> steps = {
      {schema_steps().front(),
       {2, "ALTER TABLE sessions ADD COLUMN color TEXT NOT NULL DEFAULT 'red'"},
       {3, "DELETE FROM operations; INSERT INTO nowhere VALUES(1)"}}};
  Result<CatalogFile> opened = open_catalog_file(path, steps);
  ASSERT_FALSE(opened.ok());
  EXPECT_THAT(opened.error().message, HasSubstr("to version 3"));
  const std::array<SchemaStep, 2> good = {{steps[0], steps[1]}};
  ASSERT_OK_AND_ASSIGN(CatalogFile file, open_catalog_file(path, good));
  ASSERT_OK_AND_ASSIGN(int version, schema_version(file.db));
  EXPECT_EQ(version, 2);
  ASSERT_OK_AND_ASSIGN(auto left, file.db.number("SELECT count(*) FROM operations"));
  EXPECT_EQ(left, 1) << "the failed step removed nothing";
}

TEST_F(SchemaTest, CatalogOfANewerVersionIsRefusedAndNotChanged) {
  {
    ASSERT_OK_AND_ASSIGN(Database db, Database::open(path));
    ASSERT_OK(db.script("PRAGMA user_version = 1000"));
  }
  ASSERT_OK_AND_ASSIGN(std::string before, os::read_file(path));
  auto opened = SqliteCatalog::open(path);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(opened.error().message, HasSubstr("has version 1000"));
  EXPECT_THAT(opened.error().hint, HasSubstr("newer statefork"));
  ASSERT_OK_AND_ASSIGN(std::string after, os::read_file(path));
  EXPECT_EQ(after, before);
}

TEST_F(SchemaTest, OperationLogCannotBeRewritten) {
  ASSERT_OK_AND_ASSIGN(CatalogFile file, open_catalog_file(path));
  Status rewritten = file.db.script("UPDATE operations SET detail = 'else'");
  ASSERT_FALSE(rewritten.ok());
  EXPECT_THAT(rewritten.error().message, HasSubstr("append-only"));
}

}  // namespace
}  // namespace sf::store
