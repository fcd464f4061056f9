#include "mcp/json_rpc.h"

#include <gtest/gtest.h>

namespace sf::cli::mcp {
namespace {

Message parse_one(std::string_view text) {
  Incoming incoming = parse_message(text);
  EXPECT_FALSE(incoming.is_batch);
  EXPECT_EQ(incoming.messages.size(), 1U);
  return incoming.messages.front();
}

RpcCode code_of(std::string_view text) {
  Message message = parse_one(text);
  auto* malformed = std::get_if<Malformed>(&message);
  EXPECT_NE(malformed, nullptr) << text;
  return malformed != nullptr ? malformed->error.code : RpcCode::kInternalError;
}

TEST(JsonRpcTest, ARequestHasAnIdAMethodAndParams) {
  auto request = std::get<Request>(
      parse_one(R"({"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"a":1}})"));
  EXPECT_EQ(request.id, 7);
  EXPECT_EQ(request.method, "tools/list");
  EXPECT_EQ(request.params, Json({{"a", 1}}));
}

TEST(JsonRpcTest, ParamsMayBeAbsent) {
  auto request = std::get<Request>(parse_one(R"({"jsonrpc":"2.0","id":"x","method":"ping"})"));
  EXPECT_EQ(request.id, "x");
  EXPECT_EQ(request.params, Json::object());
}

TEST(JsonRpcTest, MessageWithoutIdIsANotification) {
  auto told = std::get<Notification>(parse_one(R"({"jsonrpc":"2.0","method":"notifications/x"})"));
  EXPECT_EQ(told.method, "notifications/x");
}

TEST(JsonRpcTest, MessageWithResultOrErrorIsAResponse) {
  EXPECT_TRUE(
      std::holds_alternative<Response>(parse_one(R"({"jsonrpc":"2.0","id":1,"result":{}})")));
  EXPECT_TRUE(std::holds_alternative<Response>(
      parse_one(R"({"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}})")));
}

TEST(JsonRpcTest, InvalidJsonIsAParseError) {
  for (const char* text : {"{", "nonsense", "{\"a\":1}}", "{'a':1}", "[1,]", "\"\\ud800\"",
                           "{\"a\":1e999}", "{\"a\":\"\xff\"}", "{} {}"})
    EXPECT_EQ(code_of(text), RpcCode::kParseError) << text;
}

TEST(JsonRpcTest, OtherJsonIsAnInvalidRequest) {
  for (const char* text :
       {"1", "\"text\"", "null", "{}", R"({"jsonrpc":"2.0","id":1})",
        R"({"jsonrpc":"1.0","id":1,"method":"ping"})", R"({"id":1,"method":"ping"})",
        R"({"jsonrpc":"2.0","id":1,"method":5})", R"({"jsonrpc":"2.0","id":null,"method":"ping"})",
        R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})",
        R"({"jsonrpc":"2.0","id":[1],"method":"ping"})", "[]"})
    EXPECT_EQ(code_of(text), RpcCode::kInvalidRequest) << text;
}

TEST(JsonRpcTest, NonObjectParamsAreInvalidAndTheReplyHasTheId) {
  Message message = parse_one(R"({"jsonrpc":"2.0","id":3,"method":"ping","params":[1]})");
  auto malformed = std::get<Malformed>(message);
  EXPECT_EQ(malformed.error.code, RpcCode::kInvalidParams);
  EXPECT_EQ(malformed.id, 3);
}

TEST(JsonRpcTest, DepthIsBounded) {
  auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  auto message = [&](std::size_t depth) {
    return R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"a":)" + nested(depth) + "}}";
  };
  EXPECT_TRUE(std::holds_alternative<Request>(parse_one(message(kMaxDepth - 2))));
  EXPECT_EQ(code_of(message(kMaxDepth - 1)), RpcCode::kInvalidRequest);
  EXPECT_EQ(code_of(std::string(1U << 20U, '[')), RpcCode::kInvalidRequest);
}

TEST(JsonRpcTest, BracketsInStringsDoNotCountAsDepth) {
  std::string text = R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"a":"\"\\)" +
                     std::string(1000, '[') + "\"}}";
  EXPECT_TRUE(std::holds_alternative<Request>(parse_one(text)));
}

TEST(JsonRpcTest, ABatchIsAListOfMessages) {
  Incoming incoming = parse_message(R"([{"jsonrpc":"2.0","id":1,"method":"ping"},5])");
  EXPECT_TRUE(incoming.is_batch);
  ASSERT_EQ(incoming.messages.size(), 2U);
  EXPECT_TRUE(std::holds_alternative<Request>(incoming.messages[0]));
  EXPECT_TRUE(std::holds_alternative<Malformed>(incoming.messages[1]));
}

TEST(JsonRpcTest, TheSizeOfABatchIsBounded) {
  Json batch = Json::array();
  for (std::size_t i = 0; i <= kMaxBatch; ++i) batch.push_back(1);
  EXPECT_EQ(code_of(batch.dump()), RpcCode::kInvalidRequest);
}

TEST(JsonRpcTest, AnAnswerIsOneLineOfUtf8) {
  std::string line = to_line(result_reply("a", {{"text", "one\ntwo\r\xff"}}));
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_EQ(Json::parse(line)["result"]["text"], "one\ntwo\r\xef\xbf\xbd");
}

TEST(JsonRpcTest, ErrorReplyLeavesOutANullId) {
  Json reply = error_reply(nullptr, {RpcCode::kParseError, "message", nullptr});
  EXPECT_FALSE(reply.contains("id"));
  EXPECT_EQ(reply["error"]["code"], -32700);
  EXPECT_FALSE(reply["error"].contains("data"));
}

}  // namespace
}  // namespace sf::cli::mcp
