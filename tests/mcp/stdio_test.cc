// `statefork mcp` as a program between two pipes.
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "../service/daemon_world.h"
#include "base/split.h"
#include "os/file.h"
#include "os/process.h"

namespace sf::test {
namespace {

using wire::Json;

class McpStdioTest : public ::testing::Test {
 protected:
  // Sends these lines, then end of file. Returns all replies by id; a reply without id has the key
  // "none".
  std::map<std::string, Json> talk(const std::vector<std::string>& lines) {
    std::string input;
    for (const std::string& line : lines) input += line + "\n";
    CommandRun ran = world_.run_with_input(input, {"mcp"});
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_EQ(ran.err, "");
    std::map<std::string, Json> answers;
    for (std::string_view line : split(ran.out, '\n')) {
      if (line.empty()) continue;
      Json answer = Json::parse(line, nullptr, false);
      EXPECT_TRUE(answer.is_object()) << "no message: " << line;
      answers[answer.contains("id") ? answer["id"].dump() : "none"] = answer;
    }
    return answers;
  }
  static std::string request(const Json& id, const std::string& method, Json params) {
    params["_meta"] = {{"io.modelcontextprotocol/protocolVersion", "2026-07-28"},
                       {"io.modelcontextprotocol/clientCapabilities", Json::object()}};
    return Json{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}}.dump();
  }
  static std::string call(const Json& id, const std::string& tool, const Json& arguments) {
    return request(id, "tools/call", {{"name", tool}, {"arguments", arguments}});
  }

  DaemonWorld world_;
};

TEST_F(McpStdioTest, PendingCallsFinishWhenTheInputEnds) {
  world_.output({"new", "--name", "s"});
  std::vector<std::string> lines;
  for (int i = 1; i <= 20; ++i)
    lines.push_back(call(i, "exec_command", {{"session", "s"}, {"command", "echo $((n+=1))"}}));
  auto answers = talk(lines);
  ASSERT_EQ(answers.size(), 20U);
  for (int i = 1; i <= 20; ++i)
    EXPECT_EQ(answers[std::to_string(i)]["result"]["structuredContent"]["output"],
              std::to_string(i) + "\n")
        << "calls on one branch keep their order";
}

TEST_F(McpStdioTest, EndlessCommandContinuesInTheDaemon) {
  world_.output({"new", "--name", "s"});
  auto answers = talk({call(1, "exec_command", {{"session", "s"}, {"command", "sleep 100000"}}),
                       call(2, "session_list", Json::object())});
  EXPECT_FALSE(answers.contains("1"));
  EXPECT_TRUE(answers.contains("2"));
  world_.wait_until_running("s");
}

TEST_F(McpStdioTest, SendKeysReportsWaitingBytesAndTheRoomOfAFullQueue) {
  world_.output({"new", "--name", "s"});
  auto answers =
      talk({call(1, "send_keys", {{"session", "s"}, {"keys", {"sleep 1000", "Enter"}}})});
  EXPECT_EQ(answers["1"]["result"]["structuredContent"]["accepted_bytes"], 11) << answers["1"];
  std::string lines;
  while (lines.size() < 1U << 20U) lines += std::string(1023, 'x') + "\r";
  const auto type = [&lines](int id) {
    return call(id, "send_keys", {{"session", "s"}, {"keys", {lines}}, {"literal", true}});
  };
  answers = talk({type(1), type(2), type(3), type(4), type(5)});
  const Json first = answers["1"]["result"];
  EXPECT_EQ(first["structuredContent"]["accepted_bytes"], lines.size()) << first;
  const auto waiting = first["structuredContent"].value("waiting_bytes", std::size_t{0});
  EXPECT_GT(waiting, lines.size() - 4096) << first;
  EXPECT_NE(
      first["content"][0]["text"].get<std::string>().find(std::to_string(waiting) + " bytes wait"),
      std::string::npos)
      << first;
  const Json last = answers["5"]["result"];
  EXPECT_EQ(last["isError"], true) << last;
  const Json problem = last["_meta"]["statefork/problem"];
  EXPECT_EQ(problem["code"], "busy") << last;
  EXPECT_TRUE(problem["details"].contains("room_bytes")) << last;
}

TEST_F(McpStdioTest, MalformedInputIsAnsweredAndLaterRequestsAreProcessed) {
  auto answers = talk({"{oops", std::string(100, '['), "\xff\xfe", "", std::string(33U << 20U, 'x'),
                       R"({"jsonrpc":"2.0","method":"notifications/initialized"})",
                       request(1, "no/such/method", Json::object()),
                       request("last", "tools/list", Json::object())});
  EXPECT_EQ(answers["1"]["error"]["code"], -32601);
  EXPECT_EQ(answers["\"last\""]["result"]["tools"].size(), 17U);
  EXPECT_TRUE(answers["none"].contains("error"));
}

TEST_F(McpStdioTest, NoDaemonIsStartedBeforeAToolNeedsOne) {
  auto answers = talk(
      {request(1, "server/discover", Json::object()), request(2, "tools/list", Json::object())});
  EXPECT_EQ(answers.size(), 2U);
  EXPECT_EQ(world_.running_daemons(), 0U);
  talk({call(1, "session_list", Json::object())});
  EXPECT_EQ(world_.running_daemons(), 1U);
}

TEST_F(McpStdioTest, NextCallUsesARestartedDaemon) {
  world_.output({"new", "--name", "s"});
  world_.end_daemon(SIGKILL);
  auto answers = talk({call(1, "exec_command", {{"session", "s"}, {"command", "echo back"}})});
  EXPECT_EQ(answers["1"]["result"]["structuredContent"]["output"], "back\n") << answers["1"];
}

TEST_F(McpStdioTest, ServerEndsWhenItsOutputIsClosed) {
  int to_it[2];
  int from_it[2];
  ASSERT_EQ(::pipe2(to_it, O_CLOEXEC), 0);
  ASSERT_EQ(::pipe2(from_it, O_CLOEXEC), 0);
  os::UniqueFd input(to_it[0]);
  os::UniqueFd writing(to_it[1]);
  os::UniqueFd reading(from_it[0]);
  os::UniqueFd output(from_it[1]);
  ASSERT_OK_AND_ASSIGN(
      os::Child program,
      os::spawn({.argv = {SF_PROGRAM, "mcp", "--socket", world_.socket(), "--state", "/nowhere"},
                 .pass_fds = {{input.get(), 0}, {output.get(), 1}}}));
  output.reset();
  std::string line = request(1, "tools/list", Json::object()) + "\n";
  ASSERT_OK(os::write_all(writing.get(), line));
  char first = 0;
  ASSERT_EQ(::read(reading.get(), &first, 1), 1) << "it answers";
  reading.reset();
  ASSERT_OK_AND_ASSIGN(os::ExitStatus status, program.wait(Deadline::after(seconds(60))));
  EXPECT_EQ(status.shell_code(), 0) << status.text();
}

TEST_F(McpStdioTest, ReportedVersionIsTheProgramsVersion) {
  Json answer = talk({request(1, "server/discover", Json::object())})["1"];
  EXPECT_EQ(answer["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["version"], SF_VERSION);
}

}  // namespace
}  // namespace sf::test
