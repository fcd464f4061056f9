#include "explore/agents/llm/chat_protocol.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "testing/matchers.h"

namespace sf::explore::llm {
namespace {

using Json = nlohmann::json;

const ChatRequest kChat{"be brief",
                        {{ChatMessage::Role::kUser, "what?"},
                         {ChatMessage::Role::kAssistant, "this"},
                         {ChatMessage::Role::kUser, "again"}}};

Json messages_of(const HttpRequest& request) { return Json::parse(request.body).at("messages"); }

// The answer that the reader decodes from these events, or the first error.
Result<ChatAnswer> read(const ChatProtocol& protocol, const std::vector<std::string>& data) {
  auto reader = protocol.reader();
  for (const std::string& each : data) SF_TRY(reader->take({"message", each, ""}));
  if (!reader->is_whole()) return fail(ErrorCode::kCorrupt, "no end marker");
  return reader->answer();
}

TEST(OpenAiProtocolTest, RequestsHaveTheFormatOfTheApi) {
  const auto protocol = make_openai_protocol({.base_url = "http://h/v1",
                                              .key = "secret",
                                              .model = "m",
                                              .temperature = 0.5,
                                              .max_tokens = 100});
  const HttpRequest request = protocol->request(kChat);
  EXPECT_EQ(request.url, "http://h/v1/chat/completions");
  EXPECT_EQ(request.headers, (std::vector<std::string>{"content-type: application/json",
                                                       "authorization: Bearer secret"}));
  const Json body = Json::parse(request.body);
  EXPECT_EQ(body.at("model"), "m");
  EXPECT_EQ(body.at("stream"), true);
  EXPECT_EQ(body.at("stream_options").at("include_usage"), true);
  EXPECT_EQ(body.at("temperature"), 0.5);
  EXPECT_EQ(body.at("max_tokens"), 100);
  EXPECT_EQ(messages_of(request), Json::parse(R"([{"role": "system", "content": "be brief"},
    {"role": "user", "content": "what?"}, {"role": "assistant", "content": "this"},
    {"role": "user", "content": "again"}])"));
}

TEST(OpenAiProtocolTest, UnsetOptionsAreNotSent) {
  const HttpRequest request = make_openai_protocol({.base_url = "http://h"})->request(kChat);
  EXPECT_EQ(request.headers.size(), 1U);
  EXPECT_FALSE(Json::parse(request.body).contains("temperature"));
  EXPECT_FALSE(Json::parse(request.body).contains("max_tokens"));
}

TEST(OpenAiProtocolTest, ExtraBodyAddsAndRemovesMembers) {
  const auto protocol = make_openai_protocol(
      {.extra_body = R"({"reasoning_effort": "low", "stream_options": null})"});
  const Json body = Json::parse(protocol->request(kChat).body);
  EXPECT_EQ(body.at("reasoning_effort"), "low");
  EXPECT_FALSE(body.contains("stream_options"));
}

TEST(OpenAiProtocolTest, InvalidUtf8IsReplaced) {
  const HttpRequest request = make_openai_protocol({})->request({"",
                                                                 {{ChatMessage::Role::kUser,
                                                                   "a\xff"
                                                                   "b"}}});
  EXPECT_EQ(messages_of(request)[1].at("content"),
            "a\xEF\xBF\xBD"
            "b");
}

TEST(OpenAiProtocolTest, AnAnswerIsTheSumOfItsChunks) {
  const auto protocol = make_openai_protocol({});
  ASSERT_OK_AND_ASSIGN(
      ChatAnswer answer,
      read(
          *protocol,
          {R"({"choices": [{"delta": {"role": "assistant", "content": null}}], "usage": null})",
           R"({"choices": [{"delta": {"reasoning_content": "hm"}, "finish_reason": null}]})",
           R"({"choices": [{"delta": {"content": "one "}}]})",
           R"({"choices": [{"delta": {"content": "two"}}]})",
           R"({"choices": [{"delta": {}, "finish_reason": "length"}]})",
           R"({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}})", "[DONE]"}));
  EXPECT_EQ(answer.text, "one two");
  EXPECT_EQ(answer.stop_reason, "length");
  EXPECT_TRUE(answer.is_cut);
  EXPECT_EQ(answer.tokens_in, 7U);
  EXPECT_EQ(answer.tokens_out, 3U);
}

TEST(OpenAiProtocolTest, MalformedEventsAndErrorsAreReported) {
  const auto protocol = make_openai_protocol({});
  for (const char* nonsense : {"hello", "[]", R"({"choices": [{"delta": {"content": 5}}]})",
                               R"({"choices": [{"finish_reason": {}}]})"}) {
    auto answer = read(*protocol, {nonsense});
    ASSERT_FALSE(answer) << nonsense;
    EXPECT_EQ(answer.error().code, ErrorCode::kCorrupt);
    EXPECT_NE(answer.error().message.find(nonsense), std::string::npos) << answer.error().message;
  }
  auto answer =
      read(*protocol, {R"({"error": {"message": "out of memory", "type": "server_error"}})"});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().message, "the server reports: server_error: 'out of memory'");
}

TEST(AnthropicProtocolTest, RequestsHaveTheFormatOfTheApi) {
  const auto protocol =
      make_anthropic_protocol({.base_url = "http://h", .key = "secret", .model = "m"});
  const HttpRequest request = protocol->request(kChat);
  EXPECT_EQ(request.url, "http://h/v1/messages");
  EXPECT_EQ(request.headers,
            (std::vector<std::string>{"content-type: application/json",
                                      "anthropic-version: 2023-06-01", "x-api-key: secret"}));
  const Json body = Json::parse(request.body);
  EXPECT_EQ(body.at("system"), "be brief");
  EXPECT_EQ(body.at("stream"), true);
  EXPECT_EQ(body.at("max_tokens"), 4096);
  EXPECT_EQ(messages_of(request).size(), 3U);
  EXPECT_EQ(messages_of(request)[0], Json::parse(R"({"role": "user", "content": "what?"})"));
}

TEST(AnthropicProtocolTest, AnAnswerIsTheSumOfItsTextAndUnknownEventsAreIgnored) {
  const auto protocol = make_anthropic_protocol({});
  ASSERT_OK_AND_ASSIGN(
      ChatAnswer answer,
      read(
          *protocol,
          {R"({"type": "message_start", "message": {"usage": {"input_tokens": 5,
                "cache_read_input_tokens": 4, "output_tokens": 1}}})",
           R"({"type": "ping"})", R"({"type": "from_the_future", "x": 1})",
           R"({"type": "content_block_delta", "delta": {"type": "thinking_delta", "thinking": "hm"}})",
           R"({"type": "content_block_delta", "delta": {"type": "text_delta", "text": "one "}})",
           R"({"type": "content_block_delta", "delta": {"type": "text_delta", "text": "two"}})",
           R"({"type": "message_delta", "delta": {"stop_reason": "max_tokens"},
                "usage": {"output_tokens": 12}})",
           R"({"type": "message_stop"})"}));
  EXPECT_EQ(answer.text, "one two");
  EXPECT_TRUE(answer.is_cut);
  EXPECT_EQ(answer.tokens_in, 9U);
  EXPECT_EQ(answer.tokens_out, 12U);
}

TEST(AnthropicProtocolTest, MalformedEventsAndErrorsAreReported) {
  const auto protocol = make_anthropic_protocol({});
  for (const char* nonsense :
       {"hello", "{}", R"({"type": "message_start"})",
        R"({"type": "content_block_delta", "delta": {"type": "text_delta"}})"}) {
    auto answer = read(*protocol, {nonsense});
    ASSERT_FALSE(answer) << nonsense;
    EXPECT_EQ(answer.error().code, ErrorCode::kCorrupt);
  }
  auto answer = read(*protocol, {R"({"type": "error",
      "error": {"type": "overloaded_error", "message": "Overloaded"}})"});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kBusy);
}

TEST(PricesTest, TokensArePricedByTheMillion) {
  const Prices prices{.in = 3, .out = 15};
  EXPECT_DOUBLE_EQ(prices.of(1'000'000, 0), 3);
  EXPECT_DOUBLE_EQ(prices.of(1000, 2000), 0.033);
}

}  // namespace
}  // namespace sf::explore::llm
