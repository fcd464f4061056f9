#include "explore/agents/llm/llm_options.h"

#include <gtest/gtest.h>

#include <map>

#include "testing/matchers.h"

namespace sf::explore::llm {
namespace {

Environment environment(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const char* name) {
    auto found = variables.find(name);
    return found == variables.end() ? std::string() : found->second;
  };
}

TEST(LlmOptionsTest, MissingOptionsComeFromTheEnvironmentThenTheVendor) {
  ASSERT_OK_AND_ASSIGN(ChatSettings openai,
                       settle({.model = "m"}, environment({{"OPENAI_API_KEY", "k"}})));
  EXPECT_EQ(openai.base_url, "https://api.openai.com/v1");
  EXPECT_EQ(openai.key, "k");
  ASSERT_OK_AND_ASSIGN(ChatSettings anthropic,
                       settle({.api = LlmApi::kAnthropic, .model = "m"},
                              environment({{"OPENAI_API_KEY", "not this"},
                                           {"ANTHROPIC_API_KEY", "k"},
                                           {"ANTHROPIC_BASE_URL", "http://proxy/"}})));
  EXPECT_EQ(anthropic.base_url, "http://proxy");
  EXPECT_EQ(anthropic.key, "k");
  ASSERT_OK_AND_ASSIGN(ChatSettings given,
                       settle({.model = "m", .base_url = "http://mine", .key = "mine"},
                              environment({{"OPENAI_API_KEY", "k"}, {"OPENAI_BASE_URL", "x"}})));
  EXPECT_EQ(given.base_url, "http://mine");
  EXPECT_EQ(given.key, "mine");
}

TEST(LlmOptionsTest, TheKeyIsOptionalOnlyForACustomServer) {
  EXPECT_OK(settle({.model = "m", .base_url = "http://localhost:8080/v1"}, environment({})));
  auto settings = settle({.model = "m"}, environment({}));
  ASSERT_FALSE(settings);
  EXPECT_EQ(settings.error().hint, "set OPENAI_API_KEY");
}

TEST(LlmOptionsTest, InvalidOptionsAreRejected) {
  const LlmOptions good{.model = "m", .base_url = "http://h", .key = "k"};
  auto is_refused = [](const LlmOptions& options) {
    auto settings = settle(options, environment({}));
    return !settings && settings.error().code == ErrorCode::kInvalidArgument;
  };
  EXPECT_FALSE(is_refused(good));
  auto with = [&](auto change) {
    LlmOptions options = good;
    change(options);
    return is_refused(options);
  };
  EXPECT_TRUE(with([](LlmOptions& o) { o.model = ""; }));
  EXPECT_TRUE(with([](LlmOptions& o) { o.base_url = "h/v1"; }));
  EXPECT_TRUE(with([](LlmOptions& o) { o.base_url = "https://me:pass@h"; }));
  EXPECT_TRUE(with([](LlmOptions& o) { o.temperature = 2.5; }));
  EXPECT_TRUE(with([](LlmOptions& o) { o.extra_body = "[]"; }));
  EXPECT_TRUE(with([](LlmOptions& o) { o.extra_body = "{"; }));
  EXPECT_TRUE(with([](LlmOptions& o) { o.prices.in = -1; }));
  EXPECT_TRUE(with([](LlmOptions& o) { o.retry.most_attempts = 0; }));
  EXPECT_TRUE(with([](LlmOptions& o) { o.request_timeout = milliseconds(0); }));
}

TEST(LlmOptionsTest, AnInvalidKeyIsRejectedAndNotShown) {
  auto settings = settle({.model = "m", .key = "sk-secret\nx-header: 1"}, environment({}));
  ASSERT_FALSE(settings);
  EXPECT_EQ(settings.error().describe().find("secret"), std::string::npos);
}

TEST(LlmOptionsTest, TheApiDefaultsToTheOneWithAKey) {
  EXPECT_EQ(api_from("openai", environment({})).value(), LlmApi::kOpenAi);
  EXPECT_EQ(api_from("anthropic", environment({})).value(), LlmApi::kAnthropic);
  EXPECT_FALSE(api_from("other", environment({})));
  EXPECT_EQ(api_from("", environment({})).value(), LlmApi::kOpenAi);
  EXPECT_EQ(api_from("", environment({{"ANTHROPIC_API_KEY", "k"}})).value(), LlmApi::kAnthropic);
  EXPECT_EQ(
      api_from("", environment({{"ANTHROPIC_API_KEY", "k"}, {"OPENAI_API_KEY", "k"}})).value(),
      LlmApi::kOpenAi);
}

}  // namespace
}  // namespace sf::explore::llm
