// Inconsistent rows affect their own session only.
#include "store/session_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/sqlite_catalog.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace sf::store {
namespace {

using namespace control;  // NOLINT: this file is about nothing else
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class SessionReaderTest : public ::testing::Test {
 protected:
  // Each session: n0 - n1 (physical) - n2; main is at n2.
  void SetUp() override { fill("catalog.sqlite"); }
  void fill(const std::string& file) {
    path = dir / file;
    ASSERT_OK_AND_ASSIGN(auto catalog, SqliteCatalog::open(path));
    for (const char* name : {"bad", "good"}) {
      const std::string id = name;
      const Node middle{.id = NodeId("n1"),
                        .parent = NodeId("n0"),
                        .physical = PhysicalState{.ref = PhysicalRef("ref-" + id)},
                        .log = {LogEntry{.text = "a"}, LogEntry{.text = "b"}},
                        .notes = {{"key", "value"}}};
      const Branch main{.id = BranchId("main"),
                        .node = NodeId("n2"),
                        .pending = {LogEntry{.text = "c"}},
                        .handle = BranchHandle("handle-" + id)};
      ASSERT_OK(catalog->append(
          {.session = SessionId(id),
           .operation = "test",
           .counters = {.next_node = 3},
           .edits = {edit::PutSession{{.id = SessionId(id), .name = id + "-name", .backend = "b"}},
                     edit::AddNode{{.id = NodeId("n0")}}, edit::AddNode{middle},
                     edit::AddNode{{.id = NodeId("n2"), .parent = NodeId("n1")}},
                     edit::AddBranch{main}, edit::CommandDiverged{7}}}));
    }
  }
  // Writes rows that no version of the program would write.
  void spoil(const std::string& sql) {
    ASSERT_OK_AND_ASSIGN(Database db, Database::open(path));
    ASSERT_OK(db.script(sql.c_str()));
    ASSERT_OK(db.trust());
  }
  static void expect_good(const LoadedSessions& loaded) {
    ASSERT_THAT(loaded.images, SizeIs(1));
    EXPECT_EQ(loaded.images[0].session.id, SessionId("good"));
    EXPECT_THAT(loaded.images[0].nodes, SizeIs(3));
    EXPECT_THAT(loaded.images[0].nodes[1].log, SizeIs(2));
    EXPECT_THAT(loaded.images[0].branches, SizeIs(1));
  }
  test::TempDir dir;
  std::string path;
};

#define OF_BAD "(SELECT key FROM sessions WHERE id = 'bad')"
#define NODE_OF_BAD "(SELECT key FROM nodes WHERE id = 'n1' AND session = " OF_BAD ")"

TEST_F(SessionReaderTest, SessionWithInconsistentRowsIsUnreadableAndCanBeRemoved) {
  const char* const spoilt[] = {
      "UPDATE settings SET value = 'wide' WHERE name = x'636f6c73' AND session = " OF_BAD,
      "UPDATE settings SET value = '99999999999999999' WHERE name = x'74746c5f73' AND session "
      "= " OF_BAD,
      "UPDATE settings SET kind = 'mood' WHERE name = x'636f6c73' AND session = " OF_BAD,
      "UPDATE nodes SET parent = 999 WHERE id = 'n2' AND session = " OF_BAD,
      "UPDATE nodes SET parent = (SELECT key FROM nodes WHERE id = 'n0' AND session <> " OF_BAD
      ") WHERE id = 'n2' AND session = " OF_BAD,
      "UPDATE branches SET node = 999 WHERE session = " OF_BAD,
      "UPDATE node_log SET kind = 77 WHERE position = 1 AND owner = " NODE_OF_BAD,
      "DELETE FROM node_log WHERE position = 0 AND owner = " NODE_OF_BAD,
      "UPDATE sessions SET name = 'not a name' WHERE id = 'bad'",
      "UPDATE sessions SET id = '../x' WHERE id = 'bad'",
      "DELETE FROM sessions WHERE id = 'bad'",
  };
  int number = 0;
  for (const char* sql : spoilt) {
    SCOPED_TRACE(sql);
    ASSERT_NO_FATAL_FAILURE(fill(std::to_string(++number)));
    ASSERT_NO_FATAL_FAILURE(spoil(sql));
    ASSERT_OK_AND_ASSIGN(auto catalog, SqliteCatalog::open(path));
    ASSERT_OK_AND_ASSIGN(LoadedSessions loaded, catalog->load_sessions());
    ASSERT_NO_FATAL_FAILURE(expect_good(loaded));
    EXPECT_FALSE(loaded.is_whole());
    EXPECT_EQ(catalog->load_all().error().code, ErrorCode::kCorrupt);
    ASSERT_THAT(loaded.unreadable, SizeIs(1));
    const UnreadableSession& bad = loaded.unreadable[0];
    EXPECT_OK(check_name(bad.session.id.value(), "id"));
    EXPECT_EQ(bad.why.code, ErrorCode::kCorrupt);
    EXPECT_THAT(bad.why.hint, HasSubstr("statefork rm"));
    EXPECT_THAT(bad.branches, ElementsAre(BranchHandle("handle-bad")));
    EXPECT_THAT(bad.physical, ElementsAre(PhysicalRef("ref-bad")));

    ASSERT_OK(catalog->remove_unreadable(bad, WallTime()));
    ASSERT_OK_AND_ASSIGN(loaded, catalog->load_sessions());
    ASSERT_NO_FATAL_FAILURE(expect_good(loaded));
    EXPECT_TRUE(loaded.is_whole());
  }
}

TEST_F(SessionReaderTest, NewSessionDoesNotGetTheRowsOfOneWhoseRecordWasLost) {
  ASSERT_NO_FATAL_FAILURE(spoil("DELETE FROM sessions"));
  ASSERT_OK_AND_ASSIGN(auto catalog, SqliteCatalog::open(path));
  for (int start = 0; start < 2; ++start) {
    ASSERT_OK_AND_ASSIGN(LoadedSessions loaded, catalog->load_sessions());
    ASSERT_THAT(loaded.unreadable, SizeIs(2));
    EXPECT_EQ(loaded.unreadable[0].session.id, SessionId("lost-1"));
    EXPECT_THAT(loaded.unreadable[0].why.message, HasSubstr("record of this session is gone"));
  }
  ASSERT_OK(catalog->append({.session = SessionId("new"),
                             .operation = "test",
                             .counters = {.next_node = 1},
                             .edits = {edit::PutSession{{.id = SessionId("new"), .backend = "b"}},
                                       edit::AddNode{{.id = NodeId("n0")}}}}));
  ASSERT_OK_AND_ASSIGN(LoadedSessions loaded, catalog->load_sessions());
  EXPECT_THAT(loaded.unreadable, SizeIs(2));
  ASSERT_THAT(loaded.images, SizeIs(1));
  EXPECT_THAT(loaded.images[0].nodes, SizeIs(1));
}

TEST_F(SessionReaderTest, RowsOfALostNodeAreNotGivenToAnotherNode) {
  ASSERT_NO_FATAL_FAILURE(spoil(
      "INSERT INTO notes VALUES(7, 'key', 'value');"
      "INSERT INTO node_log VALUES(7, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 'lost', '', '')"));
  ASSERT_OK_AND_ASSIGN(auto catalog, SqliteCatalog::open(path));
  ASSERT_OK_AND_ASSIGN(LoadedSessions loaded, catalog->load_sessions());
  EXPECT_THAT(loaded.images, SizeIs(2));
  EXPECT_THAT(loaded.unreadable, IsEmpty());
  EXPECT_EQ(loaded.strays, 2U);
  EXPECT_FALSE(loaded.is_whole()) << "a snapshot of the lost node is not garbage yet";
  ASSERT_OK(catalog->append({.session = SessionId("good"),
                             .operation = "test",
                             .counters = {.next_node = 4},
                             .edits = {edit::AddNode{{.id = NodeId("n3"),  // the 7th row
                                                      .parent = NodeId("n2")}}}}));
  ASSERT_OK_AND_ASSIGN(loaded, catalog->load_sessions());
  EXPECT_TRUE(loaded.is_whole());
  EXPECT_THAT(loaded.images[1].nodes.back().log, IsEmpty());
  EXPECT_THAT(loaded.images[1].nodes.back().notes, IsEmpty());
}

TEST_F(SessionReaderTest, SessionThatCannotBeOpenedIsRemovedByItsId) {
  ASSERT_OK_AND_ASSIGN(auto catalog, SqliteCatalog::open(path));
  ASSERT_OK_AND_ASSIGN(LoadedSessions loaded, catalog->load_sessions());
  ASSERT_THAT(loaded.images, SizeIs(2));
  const UnreadableSession one = unreadable(loaded.images[0], fail(ErrorCode::kOs, "no"));
  EXPECT_THAT(one.branches, ElementsAre(BranchHandle("handle-bad")));
  ASSERT_OK(catalog->remove_unreadable(one, WallTime()));
  ASSERT_OK_AND_ASSIGN(loaded, catalog->load_sessions());
  ASSERT_NO_FATAL_FAILURE(expect_good(loaded));
  EXPECT_EQ(catalog->remove_unreadable(one, WallTime()).error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace sf::store
