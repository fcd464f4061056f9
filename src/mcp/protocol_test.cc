#include "mcp/protocol.h"

#include <gtest/gtest.h>

#include "mcp/revisions.h"

namespace sf::cli::mcp {
namespace {

// A client's side of the protocol, with the product's own tools.
class ProtocolTest : public ::testing::Test {
 protected:
  Reaction receive(const Json& message) { return protocol_.receive(message.dump()); }

  // The single line of the answer, as JSON.
  Json reply_to(const Json& message) {
    Reaction reaction = receive(message);
    EXPECT_EQ(reaction.lines.size(), 1U) << message;
    EXPECT_TRUE(reaction.calls.empty());
    return reaction.lines.empty() ? Json() : Json::parse(reaction.lines.front());
  }
  int error_of(const Json& message) {
    Json reply = reply_to(message);
    EXPECT_TRUE(reply.contains("error")) << reply;
    EXPECT_TRUE(reply["error"]["message"].is_string());
    return reply.contains("error") ? reply["error"]["code"].get<int>() : 0;
  }

  static Json request(const Json& id, const std::string& method,
                      const Json& params = Json::object()) {
    return {{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}};
  }
  static Json told(const std::string& method, const Json& params = Json::object()) {
    return {{"jsonrpc", "2.0"}, {"method", method}, {"params", params}};
  }
  // Sends a request of the revision without a handshake.
  static Json stateless(const Json& id, const std::string& method, Json params = Json::object(),
                        const std::string& revision = "2026-07-28") {
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = revision;
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = Json::object();
    return request(id, method, params);
  }
  static Json call(const std::string& tool, const Json& arguments = Json::object()) {
    return {{"name", tool}, {"arguments", arguments}};
  }
  std::string shake_hands(const std::string& revision = "2025-11-25") {
    Json reply = reply_to(request(0, "initialize",
                                  {{"protocolVersion", revision},
                                   {"capabilities", Json::object()},
                                   {"clientInfo", {{"name", "test"}, {"version", "1"}}}}));
    EXPECT_TRUE(receive(told("notifications/initialized")).lines.empty());
    return reply["result"]["protocolVersion"];
  }
  // Sends a tool call that must be run.
  ToolCall start(const Json& message) {
    Reaction reaction = receive(message);
    EXPECT_TRUE(reaction.lines.empty()) << reaction.lines.front();
    EXPECT_EQ(reaction.calls.size(), 1U);
    return reaction.calls.at(0);
  }
  Json finish(const ToolCall& started, const std::string& text = "text") {
    auto line = protocol_.finish(started.ticket, {.text = text, .structured = {{"a", 1}}});
    return line ? Json::parse(*line) : Json();
  }

  Protocol protocol_{all_tools(), "1.2.3"};
};

TEST_F(ProtocolTest, HandshakeUsesTheRevisionOfTheClient) {
  for (const char* revision : {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"})
    EXPECT_EQ(shake_hands(revision), revision);
}

TEST_F(ProtocolTest, HandshakeOffersTheNewestRevisionForAnUnknownOne) {
  for (const char* revision : {"2026-07-28", "1999-01-01", "nonsense"})
    EXPECT_EQ(shake_hands(revision), "2025-11-25");
}

TEST_F(ProtocolTest, HandshakeReturnsServerNameAndCapabilities) {
  Json result = reply_to(request(1, "initialize", {{"protocolVersion", "2025-06-18"}}))["result"];
  EXPECT_EQ(result["serverInfo"]["name"], "statefork");
  EXPECT_EQ(result["serverInfo"]["version"], "1.2.3");
  EXPECT_EQ(result["capabilities"], Json({{"tools", Json::object()}}));
  EXPECT_FALSE(result["instructions"].get<std::string>().empty());
  EXPECT_FALSE(result.contains("resultType"));
}

TEST_F(ProtocolTest, AHandshakeWithoutARevisionIsRefused) {
  EXPECT_EQ(error_of(request(1, "initialize")), -32602);
  EXPECT_EQ(error_of(request(1, "initialize", {{"protocolVersion", 5}})), -32602);
}

TEST_F(ProtocolTest, OnlyPingIsAnsweredBeforeARevisionIsKnown) {
  EXPECT_EQ(reply_to(request(1, "ping"))["result"], Json::object());
  EXPECT_EQ(error_of(request(1, "tools/list")), -32602);
  EXPECT_EQ(error_of(request(1, "tools/call", call("session_list"))), -32602);
  EXPECT_EQ(error_of(request(1, "server/discover")), -32602);
}

TEST_F(ProtocolTest, DiscoveryNeedsNoHandshake) {
  Json result = reply_to(stateless("d", "server/discover"))["result"];
  EXPECT_EQ(result["supportedVersions"], Json(kRevisions));
  EXPECT_EQ(result["capabilities"], Json({{"tools", Json::object()}}));
  EXPECT_EQ(result["resultType"], "complete");
  EXPECT_EQ(result["_meta"]["io.modelcontextprotocol/serverInfo"]["version"], "1.2.3");
  EXPECT_TRUE(result["ttlMs"].is_number_unsigned());
  EXPECT_EQ(result["cacheScope"], "public");
}

TEST_F(ProtocolTest, ErrorForAnUnknownRevisionListsTheSupportedOnes) {
  Json error = reply_to(stateless(1, "server/discover", Json::object(), "2030-01-01"))["error"];
  EXPECT_EQ(error["code"], -32022);
  EXPECT_EQ(error["data"], Json({{"supported", kRevisions}, {"requested", "2030-01-01"}}));
}

TEST_F(ProtocolTest, RequestWithoutAHandshakeNeedsClientCapabilities) {
  Json message = stateless(1, "tools/list");
  message["params"]["_meta"].erase("io.modelcontextprotocol/clientCapabilities");
  EXPECT_EQ(error_of(message), -32602);
  EXPECT_EQ(error_of(request(1, "tools/list", {{"_meta", 5}})), -32602);
  EXPECT_EQ(error_of(request(1, "tools/list",
                             {{"_meta", {{"io.modelcontextprotocol/protocolVersion", 5}}}})),
            -32602);
}

TEST_F(ProtocolTest, RevisionsMayBeMixedOnOneStream) {
  shake_hands("2025-06-18");
  EXPECT_FALSE(reply_to(request(1, "tools/list"))["result"].contains("resultType"));
  EXPECT_EQ(reply_to(stateless(2, "tools/list"))["result"]["resultType"], "complete");
  EXPECT_FALSE(reply_to(request(3, "tools/list"))["result"].contains("ttlMs"));
}

TEST_F(ProtocolTest, MethodsOfTheOtherRevisionKindAreNotFound) {
  EXPECT_EQ(error_of(stateless(1, "ping")), -32601);
  EXPECT_EQ(error_of(stateless(1, "initialize", {{"protocolVersion", "2025-11-25"}})), -32601);
  shake_hands();
  EXPECT_EQ(error_of(request(1, "server/discover")), -32601);
  EXPECT_EQ(error_of(request(1, "subscriptions/listen", {{"notifications", Json::object()}})),
            -32601);
}

TEST_F(ProtocolTest, UnknownMethodsAreNotFoundAndUnknownNotificationsAreIgnored) {
  shake_hands();
  EXPECT_EQ(error_of(request(1, "resources/list")), -32601);
  EXPECT_EQ(error_of(stateless(1, "prompts/list")), -32601);
  for (const char* method : {"notifications/roots/list_changed", "tools/list", "x", ""})
    EXPECT_TRUE(receive(told(method)).lines.empty()) << method;
}

TEST_F(ProtocolTest, InvalidLinesAreAnsweredAndTheNextLineIsRead) {
  EXPECT_EQ(Json::parse(protocol_.receive("{oops").lines.at(0))["error"]["code"], -32700);
  EXPECT_EQ(Json::parse(protocol_.receive("5").lines.at(0))["error"]["code"], -32600);
  EXPECT_EQ(Json::parse(Protocol::refuse_long_line().lines.at(0))["error"]["code"], -32600);
  EXPECT_TRUE(protocol_.receive("").lines.empty());
  EXPECT_TRUE(protocol_.receive(" \r").lines.empty());
  EXPECT_TRUE(protocol_.receive(R"({"jsonrpc":"2.0","id":1,"result":{}})").lines.empty());
  EXPECT_EQ(reply_to(request(1, "ping"))["id"], 1);
}

TEST_F(ProtocolTest, ToolListIsComplete) {
  shake_hands();
  Json tools = reply_to(request(1, "tools/list"))["result"]["tools"];
  ASSERT_EQ(tools.size(), all_tools().size());
  for (const Json& tool : tools) {
    for (const char* key :
         {"name", "title", "description", "inputSchema", "outputSchema", "annotations"})
      EXPECT_TRUE(tool.contains(key)) << tool["name"] << " " << key;
    for (const char* key :
         {"title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"})
      EXPECT_TRUE(tool["annotations"].contains(key)) << tool["name"] << " " << key;
  }
  EXPECT_EQ(reply_to(stateless(2, "tools/list"))["result"]["tools"], tools);
  EXPECT_EQ(error_of(request(3, "tools/list", {{"cursor", "2"}})), -32602);
}

TEST_F(ProtocolTest, CallIsReturnedWithCheckedArgumentsAndAnsweredWhenDone) {
  shake_hands();
  ToolCall started = start(
      request("a", "tools/call", call("exec_command", {{"session", "s"}, {"command", "ls"}})));
  EXPECT_EQ(started.tool->name, "exec_command");
  EXPECT_EQ(started.arguments["branch"], "main");
  Json reply = finish(started, "out");
  EXPECT_EQ(reply["id"], "a");
  EXPECT_EQ(reply["result"], Json({{"content", {{{"type", "text"}, {"text", "out"}}}},
                                   {"structuredContent", {{"a", 1}}},
                                   {"isError", false}}));
  EXPECT_TRUE(finish(started).is_null()) << "answered twice";
}

TEST_F(ProtocolTest, AnswersAreSentInTheOrderInWhichCallsEnd) {
  ToolCall first = start(stateless(1, "tools/call", call("session_list")));
  ToolCall second = start(stateless(2, "tools/call", call("session_list")));
  EXPECT_EQ(finish(second)["id"], 2);
  Json reply = finish(first);
  EXPECT_EQ(reply["id"], 1);
  EXPECT_EQ(reply["result"]["resultType"], "complete");
}

TEST_F(ProtocolTest, FailedToolIsAResultWithAHint) {
  ToolCall started = start(stateless(1, "tools/call", call("tree", {{"session", "x"}})));
  auto line = protocol_.finish(
      started.ticket, failure(fail(ErrorCode::kNotFound, "no such session: x", "session_list")));
  Json result = Json::parse(*line)["result"];
  EXPECT_EQ(result["isError"], true);
  EXPECT_EQ(result["content"][0]["text"], "no such session: x\nhint: session_list");
  EXPECT_EQ(result["_meta"]["statefork/problem"]["code"], "not_found");
  EXPECT_TRUE(result["_meta"].contains("io.modelcontextprotocol/serverInfo"));
  EXPECT_FALSE(result.contains("structuredContent"));
}

TEST_F(ProtocolTest, WrongArgumentsAreAResultThatTheModelCanRead) {
  shake_hands();
  for (const Json& arguments : {Json({{"session", "s"}, {"cmd", "ls"}}), Json({{"session", "s"}}),
                                Json({{"session", 5}, {"command", "ls"}})}) {
    Json reply = reply_to(request(1, "tools/call", call("exec_command", arguments)));
    EXPECT_EQ(reply["result"]["isError"], true) << reply;
    EXPECT_NE(reply["result"]["content"][0]["text"].get<std::string>().find("hint: "),
              std::string::npos);
  }
}

TEST_F(ProtocolTest, MalformedCallsAreProtocolErrors) {
  shake_hands();
  EXPECT_EQ(error_of(request(1, "tools/call", call("rm_rf"))), -32602);
  EXPECT_EQ(error_of(request(1, "tools/call")), -32602);
  EXPECT_EQ(error_of(request(1, "tools/call", {{"name", 5}})), -32602);
  EXPECT_EQ(error_of(request(1, "tools/call", {{"name", "tree"}, {"arguments", {1}}})), -32602);
}

TEST_F(ProtocolTest, ACancelledCallIsMarkedAndNeverAnswered) {
  shake_hands();
  ToolCall started = start(request(5, "tools/call", call("session_list")));
  EXPECT_FALSE(*started.cancelled);
  Reaction reaction = receive(told("notifications/cancelled", {{"requestId", 5}}));
  EXPECT_TRUE(reaction.lines.empty());
  EXPECT_EQ(reaction.cancelled, std::vector<Ticket>{started.ticket});
  EXPECT_TRUE(*started.cancelled);
  EXPECT_TRUE(finish(started).is_null());
}

TEST_F(ProtocolTest, CancellationsOfUnknownCallsAreIgnored) {
  shake_hands();
  ToolCall started = start(request(5, "tools/call", call("session_list")));
  for (const Json& params : {Json({{"requestId", "5"}}), Json({{"requestId", 6}}), Json::object(),
                             Json::array(), Json({{"requestId", nullptr}})}) {
    Reaction reaction = receive(told("notifications/cancelled", params));
    EXPECT_TRUE(reaction.lines.empty() && reaction.cancelled.empty()) << params;
  }
  EXPECT_EQ(finish(started)["id"], 5);
  EXPECT_TRUE(receive(told("notifications/cancelled", {{"requestId", 5}})).cancelled.empty());
}

TEST_F(ProtocolTest, IdInUseIsRefusedUntilItsCallEnds) {
  shake_hands();
  ToolCall started = start(request(5, "tools/call", call("session_list")));
  EXPECT_EQ(error_of(request(5, "ping")), -32600);
  finish(started);
  EXPECT_EQ(reply_to(request(5, "ping"))["result"], Json::object());
}

TEST_F(ProtocolTest, ProgressIsSentForCallsWithAToken) {
  shake_hands();
  Json params = call("exec_command", {{"session", "s"}, {"command", "make"}});
  ToolCall silent = start(request(1, "tools/call", params));
  EXPECT_FALSE(protocol_.wants_progress());
  EXPECT_FALSE(protocol_.progress(silent.ticket, 1, "m").has_value());
  params["_meta"]["progressToken"] = "t";
  ToolCall curious = start(request(2, "tools/call", params));
  EXPECT_TRUE(protocol_.wants_progress());
  Json told_line = Json::parse(*protocol_.progress(curious.ticket, 1.5, "half"));
  EXPECT_EQ(told_line["method"], "notifications/progress");
  EXPECT_EQ(told_line["params"],
            Json({{"progressToken", "t"}, {"progress", 1.5}, {"message", "half"}}));
  finish(curious);
  EXPECT_FALSE(protocol_.progress(curious.ticket, 2, "late").has_value());
  EXPECT_FALSE(protocol_.wants_progress());
}

TEST_F(ProtocolTest, NumberOfRunningCallsIsLimited) {
  shake_hands();
  for (std::size_t i = 0; i < Protocol::kMaxCalls; ++i)
    start(request(i + 1, "tools/call", call("session_list")));
  EXPECT_EQ(error_of(request("more", "tools/call", call("session_list"))), -32603);
  EXPECT_EQ(reply_to(request("p", "ping"))["result"], Json::object());
}

TEST_F(ProtocolTest, ASubscriptionIsAcknowledgedAndStaysOpenUntilItIsCancelled) {
  Json params = {{"notifications", {{"toolsListChanged", true}}}};
  Json line = reply_to(stateless("listen:1", "subscriptions/listen", params));
  EXPECT_EQ(line["method"], "notifications/subscriptions/acknowledged");
  EXPECT_EQ(line["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], "listen:1");
  EXPECT_EQ(line["params"]["notifications"], Json::object());
  EXPECT_EQ(error_of(stateless("listen:1", "tools/list")), -32600) << "the id is in use";
  receive(told("notifications/cancelled", {{"requestId", "listen:1"}}));
  EXPECT_TRUE(reply_to(stateless("listen:1", "tools/list")).contains("result"));
  EXPECT_EQ(error_of(stateless(1, "subscriptions/listen")), -32602);
}

TEST_F(ProtocolTest, NumberOfSubscriptionsIsLimited) {
  Json params = {{"notifications", Json::object()}};
  for (std::size_t i = 0; i < Protocol::kMaxSubscriptions; ++i)
    reply_to(stateless(i + 1, "subscriptions/listen", params));
  EXPECT_EQ(error_of(stateless("more", "subscriptions/listen", params)), -32603);
}

TEST_F(ProtocolTest, BatchesBelongToOneRevision) {
  Json batch = Json::array({request(1, "ping"), request(2, "ping")});
  for (const char* revision : {"2025-11-25", "2025-06-18", "2024-11-05"}) {
    shake_hands(revision);
    EXPECT_EQ(error_of(batch), -32600) << revision;
  }
  shake_hands("2025-03-26");
  EXPECT_EQ(reply_to(batch).size(), 2U);
}

TEST_F(ProtocolTest, ABatchIsAnsweredInOneLineWhenItsLastCallIsDone) {
  shake_hands("2025-03-26");
  Reaction reaction =
      receive(Json::array({request(1, "tools/call", call("session_list")), request(2, "ping"),
                           request(3, "tools/call", call("session_list")), told("notifications/x"),
                           5, request(4, "initialize", {{"protocolVersion", "2025-03-26"}})}));
  EXPECT_TRUE(reaction.lines.empty());
  ASSERT_EQ(reaction.calls.size(), 2U);
  EXPECT_TRUE(finish(reaction.calls[1]).is_null());
  Json replies = finish(reaction.calls[0]);
  ASSERT_EQ(replies.size(), 5U);
  std::map<int, int> codes;  // by id; 0: none
  for (const Json& reply : replies)
    codes[reply.value("id", 0)] = reply.contains("error") ? reply["error"]["code"].get<int>() : 0;
  EXPECT_EQ(codes, (std::map<int, int>{{0, -32600}, {1, 0}, {2, 0}, {3, 0}, {4, -32600}}));
}

TEST_F(ProtocolTest, BatchAnswerLeavesOutCancelledCalls) {
  shake_hands("2025-03-26");
  Reaction reaction =
      receive(Json::array({request(1, "tools/call", call("session_list")), request(2, "ping")}));
  EXPECT_TRUE(reaction.lines.empty());
  Reaction after = receive(told("notifications/cancelled", {{"requestId", 1}}));
  ASSERT_EQ(after.lines.size(), 1U);
  EXPECT_EQ(Json::parse(after.lines[0]).size(), 1U);
}

TEST_F(ProtocolTest, ABatchOfNotificationsIsNotAnswered) {
  shake_hands("2025-03-26");
  EXPECT_TRUE(receive(Json::array({told("a"), told("b")})).lines.empty());
}

}  // namespace
}  // namespace sf::cli::mcp
