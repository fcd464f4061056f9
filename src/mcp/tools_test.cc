// Each tool's request to the daemon and its reading of the answer.
#include <gtest/gtest.h>

#include <set>

#include "mcp/tool.h"
#include "testing/matchers.h"
#include "wire/base64.h"

namespace sf::cli::mcp {
namespace {

class ToolsTest : public ::testing::Test {
 protected:
  const Tool& tool(const std::string& name) const {
    for (const Tool& one : tools_) {
      if (one.name == name) return one;
    }
    ADD_FAILURE() << "no tool " << name;
    return tools_.front();
  }
  Result<ApiCall> request(const std::string& name, const Json& given) const {
    SF_TRY_ASSIGN(Json arguments, check_arguments(tool(name).arguments, given));
    return tool(name).request(arguments);
  }
  ToolResult present(const std::string& name, const Json& given, const Json& answer) const {
    auto arguments = check_arguments(tool(name).arguments, given);
    EXPECT_OK(arguments);
    return tool(name).present(*arguments, answer);
  }
  // "METHOD path body"
  std::string sent(const std::string& name, const Json& given) const {
    auto call = request(name, given);
    if (!call) return call.error().describe();
    return call->method + " " + call->path + (call->body.empty() ? "" : " " + call->body.dump());
  }

  const std::vector<Tool> tools_ = all_tools();
};

TEST_F(ToolsTest, ToolsAreListedInAFixedOrder) {
  std::vector<std::string> names;
  for (const Tool& one : tools_) names.push_back(one.name);
  EXPECT_EQ(names, (std::vector<std::string>{
                       "session_create", "session_list", "session_destroy", "tree", "diff",
                       "cleanup", "exec_command", "run", "snapshot", "restore", "fork", "read_file",
                       "write_file", "send_keys", "mouse", "screen", "resize"}));
}

TEST_F(ToolsTest, HintsMarkReadOnlyAndDestructiveTools) {
  std::set<std::string> reading;
  std::set<std::string> destroying;
  for (const Tool& one : tools_) {
    if (one.hints.read_only) reading.insert(one.name);
    if (one.hints.destructive) destroying.insert(one.name);
  }
  EXPECT_EQ(reading,
            (std::set<std::string>{"session_list", "tree", "diff", "read_file", "screen"}));
  EXPECT_EQ(destroying, (std::set<std::string>{"session_destroy", "cleanup", "exec_command", "run",
                                               "restore", "write_file", "send_keys", "mouse"}));
}

TEST_F(ToolsTest, EveryArgumentAndFieldIsDescribed) {
  for (const Tool& one : tools_) {
    Json listed = tool_to_json(one);
    for (const auto& [name, schema] : listed["inputSchema"]["properties"].items())
      EXPECT_FALSE(schema["description"].get<std::string>().empty()) << one.name << " " << name;
    EXPECT_EQ(listed["outputSchema"]["type"], "object") << one.name;
    for (const auto& [name, schema] : listed["outputSchema"]["properties"].items())
      EXPECT_TRUE(schema.contains("description")) << one.name << " " << name;
  }
}

TEST_F(ToolsTest, SessionsAreMadeListedAndDestroyed) {
  EXPECT_EQ(sent("session_create", Json::object()), "POST /v1/sessions");
  EXPECT_EQ(sent("session_create", {{"name", "w"}, {"cpus", 1.5}, {"env", {{"A", "1"}}}}),
            R"(POST /v1/sessions {"cpus":1.5,"env":{"A":"1"},"name":"w"})");
  EXPECT_EQ(sent("session_list", Json::object()), "GET /v1/sessions");
  EXPECT_EQ(sent("session_destroy", {{"session", "a/b"}}), "DELETE /v1/sessions/a%2Fb");
}

TEST_F(ToolsTest, BranchToolsUseMainUnlessABranchIsNamed) {
  EXPECT_EQ(sent("exec_command", {{"session", "s"}, {"command", "ls"}}),
            "POST /v1/sessions/s/branches/main/executions "
            R"({"command":"ls","max_output":65536,"timeout_ms":120000})");
  EXPECT_EQ(sent("snapshot", {{"session", "s"}, {"branch", "b1"}, {"name", "n"}}),
            R"(POST /v1/sessions/s/branches/b1/snapshot {"name":"n"})");
  EXPECT_EQ(sent("restore", {{"session", "s"}, {"node", "n1"}}),
            R"(POST /v1/sessions/s/branches/main/restore {"node":"n1","on_divergence":"fail"})");
  EXPECT_EQ(sent("fork", {{"session", "s"}, {"count", 2}}),
            "POST /v1/sessions/s/branches/main/fork "
            R"({"count":2,"node":"HEAD","on_divergence":"fail"})");
}

TEST_F(ToolsTest, DiffNamesBothNodesInTheQuery) {
  EXPECT_EQ(sent("diff", {{"session", "s"}, {"from", "HEAD~1"}}),
            "GET /v1/sessions/s/diff?from=HEAD~1&branch=main");
  EXPECT_EQ(sent("diff", {{"session", "s"}, {"from", "a b"}, {"to", "n2"}, {"branch", "b1"}}),
            "GET /v1/sessions/s/diff?from=a%20b&to=n2&branch=b1");
}

TEST_F(ToolsTest, CleanupRemovesNodesOrABranch) {
  EXPECT_EQ(sent("cleanup", {{"session", "s"}, {"node", "n2"}}),
            R"(POST /v1/sessions/s/cleanup {"branch":"main","force":false,"node":"n2"})");
  EXPECT_EQ(sent("cleanup", {{"session", "s"}, {"remove_branch", "b1"}}),
            "DELETE /v1/sessions/s/branches/b1");
  EXPECT_FALSE(request("cleanup", {{"session", "s"}}).ok());
  EXPECT_FALSE(request("cleanup", {{"session", "s"}, {"node", "n"}, {"remove_branch", "b"}}).ok());
}

TEST_F(ToolsTest, TerminalToolsSendKeysPastesAndMouseEvents) {
  EXPECT_EQ(sent("send_keys", {{"session", "s"}, {"keys", {":wq", "Enter"}}, {"paste", "p"}}),
            R"(POST /v1/sessions/s/branches/main/keys )"
            R"({"input":[{"text":":wq"},{"key":"Enter"},{"paste":"p"}]})");
  EXPECT_EQ(sent("send_keys", {{"session", "s"}, {"keys", {"Enter"}}, {"literal", true}}),
            R"(POST /v1/sessions/s/branches/main/keys {"input":[{"text":"Enter"}]})");
  EXPECT_FALSE(request("send_keys", {{"session", "s"}, {"keys", {"Entr"}}}).ok());
  EXPECT_FALSE(request("send_keys", {{"session", "s"}}).ok());
  EXPECT_EQ(sent("mouse", {{"session", "s"}, {"row", 1}, {"col", 2}, {"button", "right"}}),
            R"(POST /v1/sessions/s/branches/main/keys )"
            R"({"input":[{"mouse":{"action":"click","button":"right","col":2,"row":1}}]})");
  EXPECT_EQ(sent("screen", {{"session", "s"}}),
            "GET /v1/sessions/s/branches/main/screen?scrollback=0");
}

TEST_F(ToolsTest, KeysAndMouseReturnAcceptedAndWaitingBytes) {
  const Json keys = {{"session", "s"}, {"keys", {"Enter"}}};
  const Json mouse = {{"session", "s"}, {"row", 1}, {"col", 2}};
  for (const auto& [name, given] : {std::pair("send_keys", keys), std::pair("mouse", mouse)}) {
    const Json all_read = {{"accepted_bytes", 1}, {"waiting_bytes", 0}};
    EXPECT_EQ(present(name, given, all_read).structured, all_read) << name;
    EXPECT_EQ(present(name, given, all_read).text, "typed; call screen to see the effect");
    const Json some_wait = {{"accepted_bytes", 1}, {"waiting_bytes", 5000}};
    EXPECT_EQ(present(name, given, some_wait).structured, some_wait) << name;
    EXPECT_EQ(present(name, given, some_wait).text,
              "typed; 5000 bytes wait until the program in the terminal reads them");
    EXPECT_EQ(tool(name).output_schema["required"],
              (std::vector<std::string>{"accepted_bytes", "waiting_bytes"}))
        << name;
  }
}

TEST_F(ToolsTest, AWindowHasAtLeastOneRowAndOneColumn) {
  EXPECT_EQ(sent("resize", {{"session", "s"}, {"rows", 30}, {"cols", 90}}),
            R"(POST /v1/sessions/s/branches/main/resize {"cols":90,"rows":30})");
  EXPECT_EQ(present("resize", {{"session", "s"}, {"rows", 30}, {"cols", 90}}, Json::object()).text,
            "the terminal has 30 rows and 90 columns");
  for (const char* name : {"rows", "cols"}) {
    Json given = {{"session", "s"}, {"rows", 30}, {"cols", 90}};
    for (const int size : {0, 65'536}) {
      given[name] = size;
      EXPECT_FALSE(request("resize", given).ok()) << name << " " << size;
    }
    given.erase(name);
    EXPECT_FALSE(request("resize", given).ok()) << "without " << name;
  }
}

TEST_F(ToolsTest, RunPassesTheProgramWordByWord) {
  EXPECT_EQ(sent("run", {{"session", "s"}, {"argv", {"ps", "a b"}}, {"input", "i"}}),
            "POST /v1/sessions/s/branches/main/run "
            R"({"argv":["ps","a b"],"input":"i","max_output":65536,"timeout_ms":120000})");
  EXPECT_FALSE(request("run", {{"session", "s"}, {"argv", Json::array()}}).ok());
  EXPECT_FALSE(request("run", {{"session", "s"}}).ok());
}

TEST_F(ToolsTest, FilesAreNamedInTheQueryAndSentAsBytes) {
  EXPECT_EQ(sent("read_file", {{"session", "s"}, {"path", "/a b&c"}}),
            "GET /v1/sessions/s/branches/main/files?path=%2Fa%20b%26c");
  Json given = {{"session", "s"}, {"path", "/x"}, {"content", "caf\xc3\xa9"}};
  ASSERT_OK_AND_ASSIGN(ApiCall text, request("write_file", given));
  EXPECT_EQ(text.bytes, "caf\xc3\xa9");
  given["content"] = wire::to_base64(std::string("\0\xff", 2));
  given["encoding"] = "base64";
  ASSERT_OK_AND_ASSIGN(ApiCall bytes, request("write_file", given));
  EXPECT_EQ(bytes.bytes, std::string("\0\xff", 2));
  given["content"] = "no base64!";
  EXPECT_FALSE(request("write_file", given).ok());
}

TEST_F(ToolsTest, ATextFileIsReadAsText) {
  ToolResult result = present("read_file", {{"session", "s"}, {"path", "/x"}}, "one\ntwo\n");
  EXPECT_EQ(result.text, "one\ntwo\n");
  EXPECT_EQ(result.structured["content"], "one\ntwo\n");
  EXPECT_EQ(result.structured["encoding"], "utf-8");
  EXPECT_EQ(result.structured["bytes"], 8);
  EXPECT_EQ(result.structured["truncated"], false);
}

TEST_F(ToolsTest, OtherBytesAreReadAsBase64) {
  ToolResult result =
      present("read_file", {{"session", "s"}, {"path", "/x"}}, std::string("\0\xff\x80", 3));
  EXPECT_EQ(result.structured["encoding"], "base64");
  EXPECT_EQ(result.structured["content"], wire::to_base64(std::string("\0\xff\x80", 3)));
  EXPECT_NE(result.text.find("3 bytes"), std::string::npos);
}

TEST_F(ToolsTest, PartsOfALongFileGiveTheWholeFile) {
  std::string file;
  for (int i = 0; i < 50; ++i)
    file +=
        "\xc3\xa9\xe2\x82\xac"
        "a\xf0\x9f\x98\x80";
  std::string read;
  for (bool more = true; more;) {
    ToolResult part = present(
        "read_file", {{"session", "s"}, {"path", "/x"}, {"offset", read.size()}, {"max_bytes", 7}},
        file);
    ASSERT_EQ(part.structured["encoding"], "utf-8") << read.size();
    ASSERT_GT(part.structured["returned_bytes"], 0);
    read += part.structured["content"];
    more = part.structured["truncated"];
  }
  EXPECT_EQ(read, file);
}

TEST_F(ToolsTest, OffsetAfterTheEndGivesNoContent) {
  ToolResult result =
      present("read_file", {{"session", "s"}, {"path", "/x"}, {"offset", 99}}, "abc");
  EXPECT_EQ(result.structured["content"], "");
  EXPECT_EQ(result.structured["truncated"], false);
}

TEST_F(ToolsTest, AForkFailsOnlyWhenNoBranchWasMade) {
  Json error = {{"error", {{"detail", "no room"}, {"hint", "remove some"}}}};
  Json answer = {{"node", "n1"}, {"branches", Json::array({error, {{"branch", "b1"}}})}};
  ToolResult some = present("fork", {{"session", "s"}, {"count", 2}}, answer);
  EXPECT_FALSE(some.failed);
  EXPECT_EQ(some.structured, answer);
  ToolResult none =
      present("fork", {{"session", "s"}}, {{"node", "n1"}, {"branches", Json::array({error})}});
  EXPECT_TRUE(none.failed);
  EXPECT_EQ(none.text, "[one could not be made: no room (remove some)]\n");
}

TEST_F(ToolsTest, AFailuresHintNamesToolsInsteadOfCommands) {
  ToolResult result =
      failure(fail(ErrorCode::kNotFound, "no such session: x", "`statefork ls` lists them"));
  EXPECT_TRUE(result.failed);
  EXPECT_EQ(result.text, "no such session: x\nhint: session_list lists them");
  EXPECT_EQ(
      failure(fail(ErrorCode::kBusy, "full", "end some: `statefork ls`, `statefork rm`")).text,
      "full\nhint: end some: session_list, session_destroy");
}

TEST_F(ToolsTest, AFailuresDetailsCanBeRead) {
  Error error = fail(ErrorCode::kDiverged, "a command did something else");
  error.details["command"] = "date";
  EXPECT_EQ(failure(error).text, "a command did something else\ncommand: date");
}

TEST_F(ToolsTest, CallsThatChangeABranchShareALane) {
  auto lane = [this](const std::string& name, const Json& given) {
    return lane_of(tool(name), check_arguments(tool(name).arguments, given).value());
  };
  EXPECT_EQ(lane("exec_command", {{"session", "s"}, {"command", "x"}}), "s/main");
  EXPECT_EQ(lane("write_file", {{"session", "s"}, {"path", "/x"}, {"content", ""}}), "s/main");
  EXPECT_EQ(lane("snapshot", {{"session", "s"}, {"branch", "b1"}}), "s/b1");
  EXPECT_EQ(lane("resize", {{"session", "s"}, {"rows", 1}, {"cols", 1}}), "s/main");
  EXPECT_EQ(lane("run", {{"session", "s"}, {"argv", {"ps"}}}), "") << "beside a command";
  EXPECT_EQ(lane("tree", {{"session", "s"}}), "");
  EXPECT_EQ(lane("session_destroy", {{"session", "s"}}), "");
}

}  // namespace
}  // namespace sf::cli::mcp
