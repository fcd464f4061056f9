// Parts of the API besides commands and branching: the terminal, files, nodes, names, numbers.
#include <nlohmann/json.hpp>

#include "daemon_world.h"

namespace sf::test {
namespace {

using wire::Json;

class ApiTest : public ::testing::Test {
 protected:
  void SetUp() override { world_.output({"new", "--name", "s"}); }

  const std::string kSession = "/v1/sessions/s";
  const std::string kBranch = "/v1/sessions/s/branches/main";
  DaemonWorld world_;
  client::ApiClient client_ = world_.client();
};

TEST_F(ApiTest, KeysReachTheTerminalAndTheScreenShowsIt) {
  ASSERT_OK(client_.post(kBranch + "/resize", {{"rows", 30}, {"cols", 90}}));
  ASSERT_OK(client_.post(kBranch + "/keys", {{"keys", "stty size >/size; echo typed-$((6*7))\r"}}));
  Deadline patience = Deadline::after(seconds(60));
  std::string rows;
  while (rows.find("typed-42") == std::string::npos && !patience.passed()) {
    ASSERT_OK_AND_ASSIGN(Json screen, client_.get(kBranch + "/screen?scrollback=10"));
    EXPECT_EQ(screen["rows"].size(), 30);
    rows = screen["rows"].dump();
  }
  EXPECT_NE(rows.find("typed-42"), std::string::npos) << rows;
  EXPECT_EQ(world_.exec_output("s", "cat /size"), "30 90");
}

TEST_F(ApiTest, FilesGoInAndOutByteForByte) {
  std::string bytes;
  for (int i = 0; i < 100'000; ++i) bytes += static_cast<char>(i * 7);
  std::string path = client::query({{"path", "/root/a file"}});
  ASSERT_OK_AND_ASSIGN(Json written, client_.put_bytes(kBranch + "/files" + path, bytes));
  EXPECT_EQ(written["bytes"], bytes.size());
  EXPECT_EQ(world_.exec_output("s", "stat -c %s '/root/a file'"), std::to_string(bytes.size()));
  ASSERT_OK_AND_ASSIGN(std::string back, client_.get_bytes(kBranch + "/files" + path));
  EXPECT_EQ(back, bytes);
  EXPECT_EQ(client_.get_bytes(kBranch + "/files?path=/nowhere").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(client_.get_bytes(kBranch + "/files").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(client_.get_bytes(kBranch + "/files?path=../etc").error().code,
            ErrorCode::kInvalidArgument);
}

TEST_F(ApiTest, ANodeHasANameAndNotesThatCanBeChanged) {
  world_.output({"snapshot", "s", "--name", "old"});
  ASSERT_OK_AND_ASSIGN(
      Json node, client_.patch(kSession + "/nodes/old",
                               {{"name", "new"}, {"notes", {{"plan", "b"}, {"score", "0.5"}}}}));
  EXPECT_EQ(node["id"], "n1");
  EXPECT_EQ(node["name"], "new");
  ASSERT_OK(client_.patch(kSession + "/nodes/new", {{"notes", {{"plan", nullptr}}}}));
  ASSERT_OK_AND_ASSIGN(node, client_.get(kSession + "/nodes/HEAD"));
  EXPECT_EQ(node["notes"], (Json{{"score", "0.5"}}));
  EXPECT_EQ(client_.get(kSession + "/nodes/old").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(client_.patch(kSession + "/nodes/new", {{"nmae", "x"}}).error().code,
            ErrorCode::kInvalidArgument);
}

TEST_F(ApiTest, ASessionCanBeRenamedAndFreesItsName) {
  ASSERT_OK_AND_ASSIGN(Json session, client_.patch(kSession, {{"name", "t"}}));
  EXPECT_EQ(session["name"], "t");
  EXPECT_EQ(client_.get(kSession).error().code, ErrorCode::kNotFound);
  world_.output({"new", "--name", "s"});
  EXPECT_EQ(client_.patch(kSession, {{"name", "t"}}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(client_.patch(kSession, {{"name", "a/b"}}).error().code, ErrorCode::kInvalidArgument);
  ASSERT_OK(client_.patch(kSession, {{"name", "s"}}));  // its own name
}

TEST_F(ApiTest, StatsCountOperations) {
  world_.exec_output("s", "true");
  world_.output({"snapshot", "s"});
  world_.output({"restore", "s", "HEAD"});
  ASSERT_OK_AND_ASSIGN(Json stats, client_.get(kSession + "/stats"));
  EXPECT_EQ(stats["commands"], 1);
  EXPECT_EQ(stats["restores"], 1);
  EXPECT_EQ(stats["nodes"], 2);
  EXPECT_EQ(stats["live_branches"], 1);
}

TEST_F(ApiTest, MetricsAreInPrometheusFormat) {
  world_.exec_output("s", "true");
  ASSERT_OK_AND_ASSIGN(std::string text, client_.get_bytes("/metrics"));
  EXPECT_NE(text.find("\nstatefork_sessions 1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nstatefork_live_branches 1\n"), std::string::npos);
  EXPECT_NE(text.find("statefork_requests_total{route=\"POST /v1/sessions\",status=\"201\"} 1\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("_bucket{route=\"POST /v1/sessions\",le=\"+Inf\"} 1\n"), std::string::npos);
}

TEST_F(ApiTest, BackendsReportWhatTheyPreserve) {
  ASSERT_OK_AND_ASSIGN(Json answer, client_.get("/v1/backends"));
  std::map<std::string, Json> preserves;
  for (const Json& one : answer["backends"]) {
    EXPECT_EQ(one["usable"] == true, one["why_not"] == "") << one;
    preserves[one["name"]] = one["preserves"];
  }
  EXPECT_EQ(preserves["waypoint"],
            (Json{"files", "shell", "processes", "memory", "local_services"}));
  EXPECT_EQ(preserves["overlay"], Json{"files"});
  EXPECT_TRUE(preserves.contains("replay"));
}

}  // namespace
}  // namespace sf::test
