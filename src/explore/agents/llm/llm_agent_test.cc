// The agent against a scripted server that speaks the real protocols.
#include "explore/agents/llm/llm_agent.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "explore/agents/llm/scripted_server.h"
#include "os/file.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace sf::explore {
namespace {

using Json = nlohmann::json;
using llm::chunked_answer;
using llm::plain_answer;

constexpr const char* kKey = "sk-very-secret";
constexpr const char* kAction =
    "Let me think.\n```json\n{\"thought\": \"look \u2713\", \"command\": \"ls\", \"done\": "
    "false}\n```";

std::string openai_events(const std::string& text, bool has_usage = true) {
  std::string events = ": hello\n\n";
  for (std::size_t at = 0; at < text.size(); ++at) {  // character by character
    std::string piece = text.substr(at, 1);
    while (at + 1 < text.size() && (static_cast<unsigned char>(text[at + 1]) & 0xc0U) == 0x80U)
      piece += text[++at];
    events +=
        "data: " + Json{{"choices", {{{"index", 0}, {"delta", {{"content", piece}}}}}}}.dump() +
        "\n\n";
  }
  events += "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
  if (has_usage)
    events +=
        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":1000,\"completion_tokens\":20}}\n\n";
  return events + "data: [DONE]\n\n";
}

std::string anthropic_events(const std::string& text) {
  auto event = [](const char* name, Json data) {
    data["type"] = name;
    return std::string("event: ") + name + "\r\ndata: " + data.dump() + "\r\n\r\n";
  };
  return event("message_start",
               {{"message", {{"usage", {{"input_tokens", 1000}, {"output_tokens", 1}}}}}}) +
         event("content_block_start", {{"index", 0}}) + event("ping", Json::object()) +
         event("content_block_delta", {{"delta", {{"type", "text_delta"}, {"text", text}}}}) +
         event("content_block_stop", {{"index", 0}}) +
         event("message_delta",
               {{"delta", {{"stop_reason", "end_turn"}}}, {"usage", {{"output_tokens", 20}}}}) +
         event("message_stop", Json::object());
}

class LlmAgentTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { ::setenv("no_proxy", "*", 1); }  // before any thread starts

  void SetUp() override {
    options.model = "a-model";
    options.base_url = server.url();
    options.key = kKey;
    options.prices = {.in = 3, .out = 15};
    options.retry = {.most_attempts = 3, .first_wait = seconds(1), .longest_wait = seconds(60)};
    options.timing = {.now =
                          [this] {
                            std::lock_guard lock(mutex);
                            return Clock::now() + slept;
                          },
                      .sleep =
                          [this](Clock::duration span) {
                            std::lock_guard lock(mutex);
                            slept += span;
                            waits.push_back(std::chrono::round<milliseconds>(span).count());
                          },
                      .jitter = [] { return 1.0; }};
    situation.instruction = "build it";
  }

  void will_answer(std::string bytes) { server.answer({.bytes = std::move(bytes)}); }
  void will_say(const std::string& text) { will_answer(chunked_answer(openai_events(text), 100)); }
  Result<Action> propose() {
    SF_TRY_ASSIGN(auto agent, make_llm_agent(options));
    usage = {};
    return agent->propose(situation, usage);
  }
  Json body_of_request(std::size_t index) { return Json::parse(server.requests().at(index).body); }

  llm::ScriptedServer server;
  LlmOptions options;
  Usage usage;  // of the last proposal, or of all requests
  Situation situation;
  std::mutex mutex;
  Clock::duration slept{0};
  std::vector<long long> waits;  // in milliseconds
};

TEST_F(LlmAgentTest, AModelProposesThroughChatCompletions) {
  options.temperature = 0.7;
  will_say(kAction);
  ASSERT_OK_AND_ASSIGN(Action proposal, propose());
  EXPECT_EQ(proposal, (Action{"ls", "look \u2713", false}));
  EXPECT_EQ(usage.model_calls, 1U);
  EXPECT_EQ(usage.tokens_in, 1000U);
  EXPECT_EQ(usage.tokens_out, 20U);
  EXPECT_DOUBLE_EQ(usage.money, 0.0033);
  EXPECT_GT(usage.model_time.count(), 0);

  const auto requests = server.requests();
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_TRUE(requests[0].head.starts_with("POST /chat/completions HTTP/1.1\r\n"));
  EXPECT_NE(requests[0].head.find("authorization: Bearer sk-very-secret\r\n"), std::string::npos);
  EXPECT_EQ(body_of_request(0).at("temperature"), 0.7);
  EXPECT_NE(requests[0].body.find("build it"), std::string::npos);
}

TEST_F(LlmAgentTest, AModelProposesThroughMessages) {
  options.api = LlmApi::kAnthropic;
  will_answer(chunked_answer(anthropic_events(kAction), 50));
  ASSERT_OK_AND_ASSIGN(Action proposal, propose());
  EXPECT_EQ(proposal.command, "ls");
  EXPECT_EQ(usage.tokens_in, 1000U);
  EXPECT_EQ(usage.tokens_out, 20U);
  const auto requests = server.requests();
  EXPECT_TRUE(requests[0].head.starts_with("POST /v1/messages HTTP/1.1\r\n"));
  EXPECT_NE(requests[0].head.find("x-api-key: sk-very-secret\r\n"), std::string::npos);
}

TEST_F(LlmAgentTest, AnswersDoNotDependOnChunkSizes) {
  for (const std::size_t piece : {1U, 2U, 3U, 7U, 64U, 100'000U}) {
    will_answer(chunked_answer(openai_events(kAction), piece));
    ASSERT_OK_AND_ASSIGN(Action proposal, propose());
    EXPECT_EQ(proposal.thought, "look \u2713") << piece;
  }
  // No length: the reply ends with the connection.
  will_answer(std::string(llm::kStreamHead) + "\r\n" + openai_events(kAction));
  EXPECT_OK(propose());
}

TEST_F(LlmAgentTest, ConnectionsAreReused) {
  for (int i = 0; i < 2; ++i)
    server.answer({.bytes = chunked_answer(openai_events(kAction), 500), .is_kept = true});
  ASSERT_OK_AND_ASSIGN(auto agent, make_llm_agent(options));
  for (int i = 0; i < 2; ++i) ASSERT_OK(agent->propose(situation, usage));
  EXPECT_EQ(server.requests().at(1).connection, 1);
}

TEST_F(LlmAgentTest, RetryAfterOfARateLimitIsObeyed) {
  will_answer(plain_answer("429 Too Many Requests", R"({"error": {"message": "slow down"}})",
                           "Retry-After: 7\r\n"));
  will_answer(plain_answer("429 Too Many Requests", "", "retry-after-ms: 250\r\n"));
  will_say(kAction);
  ASSERT_OK_AND_ASSIGN(Action proposal, propose());
  EXPECT_EQ(waits, (std::vector<long long>{8000, 1250}));  // with a second of jitter
  EXPECT_EQ(usage.model_calls, 1U);
}

TEST_F(LlmAgentTest, ServerErrorsAreRetriedWithGrowingWaits) {
  will_answer(plain_answer("500 Internal Server Error", "oops"));
  will_answer(plain_answer("529 Overloaded", R"({"error": {"type": "overloaded_error"}})"));
  will_say(kAction);
  ASSERT_OK(propose());
  EXPECT_EQ(waits, (std::vector<long long>{1000, 2000}));
}

TEST_F(LlmAgentTest, TheFinalErrorSaysTheNumberOfAttemptsAndTheCause) {
  for (int i = 0; i < 3; ++i)
    will_answer(plain_answer(
        "529 Overloaded", R"({"error": {"type": "overloaded_error", "message": "Overloaded"}})"));
  auto proposal = propose();
  ASSERT_FALSE(proposal);
  EXPECT_EQ(proposal.error().code, ErrorCode::kBusy);
  EXPECT_EQ(proposal.error().message, "asking a-model at " + server.url() +
                                          ", 3 attempts: HTTP status 529, overloaded_error: "
                                          "'Overloaded'");
}

TEST_F(LlmAgentTest, AWaitBeyondTheTotalTimeLimitFailsImmediately) {
  options.total_timeout = seconds(60);
  will_answer(plain_answer("429 Too Many Requests", "", "Retry-After: 3600\r\n"));
  auto proposal = propose();
  ASSERT_FALSE(proposal);
  EXPECT_EQ(proposal.error().code, ErrorCode::kBusy);
  EXPECT_TRUE(waits.empty());
}

TEST_F(LlmAgentTest, PermanentErrorsAreNotRetriedAndTheKeyIsMasked) {
  for (const std::string status : {"400 Bad Request", "401 Unauthorized", "404 Not Found"}) {
    will_answer(
        plain_answer(status, std::string(R"({"error": {"message": "wrong key: )") + kKey + "\"}}"));
    auto proposal = propose();
    ASSERT_FALSE(proposal);
    EXPECT_NE(proposal.error().message.find("'wrong key: [key]'"), std::string::npos);
    EXPECT_EQ(proposal.error().describe().find("secret"), std::string::npos);
  }
  will_answer(plain_answer("429 Too Many Requests",
                           R"({"error": {"message": "pay", "code": "insufficient_quota"}})"));
  EXPECT_FALSE(propose());
  EXPECT_EQ(server.requests().size(), 4U);
  EXPECT_TRUE(waits.empty());
}

TEST_F(LlmAgentTest, RedirectsAreNotFollowed) {
  will_answer(plain_answer("307 Temporary Redirect", "", "Location: " + server.url() + "/x\r\n"));
  EXPECT_FALSE(propose());
  EXPECT_EQ(server.requests().size(), 1U);
}

TEST_F(LlmAgentTest, IncompleteAnswersAreRetried) {
  const std::string events = openai_events(kAction);
  const std::string half = events.substr(0, events.find("data: [DONE]"));
  will_answer(std::string(llm::kStreamHead) + "\r\n" + half);
  const std::string chunked = chunked_answer(events, 100);
  will_answer(chunked.substr(0, chunked.size() - 100));  // in the middle of the transfer
  will_say(kAction);
  ASSERT_OK_AND_ASSIGN(Action proposal, propose());
  EXPECT_EQ(proposal.command, "ls");
  // Interrupted attempts count as well.
  EXPECT_EQ(usage.model_calls, 3U);
  EXPECT_GT(usage.tokens_in, 2000U);

  for (int i = 0; i < 3; ++i) will_answer(std::string(llm::kStreamHead) + "\r\n" + half);
  auto cut = propose();
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(usage.model_calls, 3U) << "failed attempts count";
  EXPECT_NE(cut.error().message.find("the answer was cut off after " + std::to_string(half.size()) +
                                     " bytes"),
            std::string::npos);
}

TEST_F(LlmAgentTest, ErrorsWithinAStreamAreRetried) {
  options.api = LlmApi::kAnthropic;
  will_answer(
      chunked_answer("event: error\ndata: {\"type\": \"error\", \"error\": {\"type\": "
                     "\"overloaded_error\", \"message\": \"Overloaded\"}}\n\n",
                     9));
  will_answer(chunked_answer(anthropic_events(kAction), 9));
  EXPECT_OK(propose());
}

TEST_F(LlmAgentTest, MalformedAnswersAreRetriedThenQuoted) {
  will_answer(plain_answer("200 OK", "<html>Welcome</html>", "Content-Type: text/html\r\n"));
  will_answer("SSH-2.0-OpenSSH_9.2\r\n");
  will_answer(chunked_answer("data: <html>Welcome\n\n", 5));
  auto proposal = propose();
  ASSERT_FALSE(proposal);
  EXPECT_EQ(proposal.error().code, ErrorCode::kCorrupt);
  EXPECT_NE(proposal.error().message.find("'<html>Welcome'"), std::string::npos);
  EXPECT_EQ(waits.size(), 2U);
}

TEST_F(LlmAgentTest, TokensAreEstimatedIfTheServerDoesNotCountThem) {
  will_answer(chunked_answer(openai_events(kAction, false), 100));
  ASSERT_OK_AND_ASSIGN(Action proposal, propose());
  EXPECT_EQ(usage.tokens_in, server.requests()[0].body.size() / 4);
  EXPECT_EQ(usage.tokens_out, std::string(kAction).size() / 4);
  EXPECT_GT(usage.money, 0);
}

TEST_F(LlmAgentTest, ASlowServerTimesOut) {
  options.request_timeout = milliseconds(50);
  server.answer({.bytes = "", .never_ends = true});
  server.answer({.bytes = std::string(llm::kStreamHead) + "\r\ndata: ", .never_ends = true});
  server.answer({.bytes = "HTTP/1.1 200", .never_ends = true});
  auto proposal = propose();
  ASSERT_FALSE(proposal);
  EXPECT_EQ(proposal.error().code, ErrorCode::kTimedOut);
  EXPECT_EQ(waits.size(), 2U);
}

TEST_F(LlmAgentTest, AnUnreachableServerIsAnError) {
  std::uint16_t port = 0;
  {
    auto listener = os::listen_tcp({"127.0.0.1", "0"}).value();
    port = os::port_of(listener.get()).value();
  }
  options.base_url = "http://127.0.0.1:" + std::to_string(port);
  auto proposal = propose();
  ASSERT_FALSE(proposal);
  EXPECT_EQ(proposal.error().code, ErrorCode::kOs);
  EXPECT_NE(proposal.error().message.find("Failed to connect"), std::string::npos);
  EXPECT_EQ(waits.size(), 2U);
}

TEST_F(LlmAgentTest, AnUnusableReplyGetsOneSecondTry) {
  will_say("I would run ls.");
  will_say(kAction);
  ASSERT_OK_AND_ASSIGN(Action proposal, propose());
  EXPECT_EQ(usage.model_calls, 2U);
  EXPECT_EQ(usage.tokens_in, 2000U);
  const Json messages = body_of_request(1).at("messages");
  ASSERT_EQ(messages.size(), 4U);
  EXPECT_EQ(messages[2], Json::parse(R"({"role": "assistant", "content": "I would run ls."})"));
  EXPECT_TRUE(messages[3].at("content").get<std::string>().starts_with(
      "Your reply cannot be used: there is no JSON object"));

  will_say("ls!");
  will_say("ls, I said.");
  auto stubborn = propose();
  ASSERT_FALSE(stubborn);
  EXPECT_EQ(usage.model_calls, 2U) << "unusable replies count";
  EXPECT_DOUBLE_EQ(usage.money, 2 * 0.0033);
  EXPECT_EQ(stubborn.error().code, ErrorCode::kCorrupt);
  EXPECT_NE(stubborn.error().message.find("'ls, I said.' (stop)"), std::string::npos);
}

TEST_F(LlmAgentTest, AModelAssesses) {
  will_say(R"({"value": 0.75, "reflection": "it compiles now"})");
  ASSERT_OK_AND_ASSIGN(auto agent, make_llm_agent(options));
  const Turn turn{.action = {.command = "make"}, .outcome = {"all is built", 0}};
  ASSERT_OK_AND_ASSIGN(Assessment assessment, agent->assess(situation, turn, usage));
  EXPECT_DOUBLE_EQ(assessment.value, 0.75);
  EXPECT_EQ(assessment.reflection, "it compiles now");
  EXPECT_EQ(usage.model_calls, 1U);
  EXPECT_NE(server.requests()[0].body.find("all is built"), std::string::npos);
}

TEST_F(LlmAgentTest, AModelIsAskedToChooseOnlyAmongSeveral) {
  will_say("The second. {\"choice\": 2}");
  ASSERT_OK_AND_ASSIGN(auto agent, make_llm_agent(options));
  const std::vector<Turn> candidates{{.action = {.command = "a"}}, {.action = {.command = "b"}}};
  ASSERT_OK_AND_ASSIGN(std::size_t choice, agent->choose(situation, candidates, usage));
  EXPECT_EQ(choice, 1U);
  ASSERT_OK_AND_ASSIGN(std::size_t only, agent->choose(situation, {candidates[0]}, usage));
  EXPECT_EQ(only, 0U);
  EXPECT_EQ(server.requests().size(), 1U);
}

TEST_F(LlmAgentTest, CustomPromptsReceiveTheSiblings) {
  test::TempDir dir;
  ASSERT_OK(os::write_file(dir / "propose.md", "# System\nMine.\n# User\nNot:\n{{siblings}}"));
  options.prompts_dir = dir.path();
  situation.siblings = {{.action = {.command = "rm -r tried"}, .reflection = "that was bad"}};
  will_say(kAction);
  ASSERT_OK(propose());
  const Json messages = body_of_request(0).at("messages");
  EXPECT_EQ(messages[0].at("content"), "Mine.");
  const std::string told = messages[1].at("content");
  EXPECT_TRUE(told.starts_with("Not:\n$ rm -r tried\n")) << told;
  EXPECT_NE(told.find("that was bad"), std::string::npos);
}

TEST_F(LlmAgentTest, SeveralThreadsMayAskConcurrently) {
  constexpr int kThreads = 4;
  constexpr int kEach = 5;
  options.limits = {.at_once = 3};
  for (int i = 0; i < kThreads * kEach; ++i) will_say(kAction);
  ASSERT_OK_AND_ASSIGN(auto agent, make_llm_agent(options));
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&] {
      Usage own;
      for (int n = 0; n < kEach; ++n) EXPECT_OK(agent->propose(situation, own));
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(server.requests().size(), std::size_t{kThreads * kEach});
}

}  // namespace
}  // namespace sf::explore
