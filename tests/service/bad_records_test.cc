// Inconsistent records of one session in the daemon's catalog: the session is listed with the
// reason and can be removed; all other sessions work.
#include <gmock/gmock.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "daemon_world.h"
#include "os/file.h"
#include "store/database.h"

namespace sf::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using wire::Json;

class BadRecordsTest : public ::testing::Test {
 protected:
  BadRecordsTest() {
    for (const char* name : {"good", "bad"}) {
      world_.output({"new", "--name", name});
      world_.exec_output(name, "WORD=kept");
      world_.output({"snapshot", name, "--name", "kept"});
    }
  }
  // Ends the daemon and changes its catalog.
  void spoil(const std::string& sql) {
    world_.end_daemon(SIGTERM);
    ASSERT_OK_AND_ASSIGN(auto db, store::Database::open(world_.state_dir() + "/catalog.db"));
    ASSERT_OK(db.script(sql.c_str()));
    ASSERT_OK(db.trust());
  }
  Json listed(const std::string& name) {
    Json list = Json::parse(world_.output({"ls", "--json"}));
    for (const Json& session : list["sessions"]) {
      if (session["name"] == name) return session;
    }
    return nullptr;
  }
  std::string problem(const std::string& name) {
    Json session = listed(name);
    return session.is_object() ? session["problem"].get<std::string>() : "it is not listed";
  }
  void expect_good_works() {
    EXPECT_THAT(problem("good"), IsEmpty());
    world_.exec_output("good", "WORD=changed");
    world_.output({"restore", "good", "kept"});
    EXPECT_EQ(world_.exec_output("good", "echo $WORD"), "kept");
    const std::string other = world_.output({"new"});
    EXPECT_EQ(world_.exec_output(other, "echo works"), "works");
    world_.output({"rm", other});
  }
  std::size_t checkpoints() {
    auto found = os::list_directory(world_.state_dir() + "/store/checkpoints");
    EXPECT_OK(found);
    return found ? found->size() : 0;
  }

  DaemonWorld world_;
};

constexpr const char* kOfBad = " = (SELECT key FROM sessions WHERE name = 'bad')";

TEST_F(BadRecordsTest, InconsistentSessionIsListedAndRemovedAndOthersWork) {
  ASSERT_NO_FATAL_FAILURE(
      spoil("UPDATE node_log SET kind = 99 WHERE owner IN (SELECT key FROM nodes WHERE session" +
            std::string(kOfBad) + ")"));
  EXPECT_THAT(problem("bad"), HasSubstr("99"));
  EXPECT_THAT(world_.output({"ls"}), HasSubstr("has a problem"));
  const Json shown = world_.client().get("/v1/sessions/bad").value();
  EXPECT_THAT(shown["problem"].get<std::string>(), HasSubstr("statefork rm"));
  for (const std::vector<std::string>& refused : std::vector<std::vector<std::string>>{
           {"exec", "bad", "--", "true"}, {"snapshot", "bad"}, {"tree", "bad"}, {"fork", "bad"}}) {
    CommandRun run = world_.run(refused);
    EXPECT_NE(run.status, 0) << refused[0];
    EXPECT_THAT(run.err, HasSubstr("cannot be used")) << refused[0];
  }
  EXPECT_NE(world_.run({"new", "--name", "bad"}).status, 0) << "the name is taken";
  expect_good_works();
  const std::size_t before = checkpoints();
  world_.output({"rm", "bad"});
  EXPECT_TRUE(listed("bad").is_null());
  EXPECT_LT(checkpoints(), before) << "its snapshots must be removed";
  expect_good_works();
  world_.end_daemon(SIGKILL);
  EXPECT_TRUE(listed("bad").is_null());
}

TEST_F(BadRecordsTest, NoStateIsDiscardedWhileASessionCannotBeRead) {
  const std::size_t before = checkpoints();
  ASSERT_NO_FATAL_FAILURE(spoil("DELETE FROM sessions WHERE name = 'bad'"));
  Json list = Json::parse(world_.output({"ls", "--json"}));
  ASSERT_EQ(list["sessions"].size(), 2U);
  EXPECT_EQ(checkpoints(), before);
  expect_good_works();
  const std::string id = list["sessions"][1]["id"];
  EXPECT_THAT(id, HasSubstr("lost-"));
  world_.output({"rm", id});
  world_.end_daemon(SIGTERM);
  EXPECT_THAT(problem("good"), IsEmpty());
  EXPECT_LT(checkpoints(), before);
}

TEST_F(BadRecordsTest, SessionOfAnUnknownPolicyIsUsedWithPhysicalSnapshots) {
  ASSERT_NO_FATAL_FAILURE(spoil("UPDATE sessions SET policy = 'thrifty' WHERE name = 'bad'"));
  EXPECT_THAT(problem("bad"), HasSubstr("no policy 'thrifty'"));
  EXPECT_EQ(world_.exec_output("bad", "echo $WORD; WORD=next"), "kept");
  const Json made = Json::parse(world_.output({"snapshot", "bad", "--json"}));
  EXPECT_EQ(made["kind"], "physical");
  world_.output({"restore", "bad", "kept"});
  EXPECT_EQ(world_.exec_output("bad", "echo $WORD"), "kept");
  EXPECT_EQ(listed("bad")["policy"], "thrifty") << "another version may know this policy";
  expect_good_works();
  ASSERT_NO_FATAL_FAILURE(spoil("UPDATE sessions SET policy = 'lazy' WHERE name = 'bad'"));
  EXPECT_THAT(problem("bad"), IsEmpty());
}

TEST_F(BadRecordsTest, SessionOfAnUnknownBackendIsListedAndRemovedAndOthersWork) {
  ASSERT_NO_FATAL_FAILURE(spoil("UPDATE sessions SET backend = 'cloud' WHERE name = 'bad'"));
  EXPECT_THAT(problem("bad"), HasSubstr("no backend \"cloud\""));
  EXPECT_THAT(world_.exec("bad", "true").err, HasSubstr("cloud"));
  expect_good_works();
  ASSERT_NO_FATAL_FAILURE(spoil("UPDATE sessions SET backend = 'waypoint' WHERE name = 'bad'"));
  EXPECT_EQ(world_.exec_output("bad", "echo $WORD"), "kept") << "the session's state was kept";
  ASSERT_NO_FATAL_FAILURE(spoil("UPDATE sessions SET backend = 'cloud' WHERE name = 'bad'"));
  world_.output({"rm", "bad"});
  EXPECT_TRUE(listed("bad").is_null());
  world_.end_daemon(SIGTERM);  // the next daemon finds the state left by the other backend
  expect_good_works();
}

}  // namespace
}  // namespace sf::test
