// LlmOptions: which model to ask, where, and how.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "explore/agents/llm/chat.h"
#include "explore/agents/llm/chat_protocol.h"
#include "explore/agents/llm/request_gate.h"
#include "explore/agents/llm/retry.h"
#include "explore/agents/llm/timing.h"

namespace sf::explore {

enum class LlmApi {
  kOpenAi,     // chat completions: OpenAI, vLLM, llama.cpp, Ollama and many others
  kAnthropic,  // messages
};
struct LlmOptions {
  LlmApi api = LlmApi::kOpenAi;
  std::string model;
  // Empty: OPENAI_BASE_URL or ANTHROPIC_BASE_URL from the environment, else the vendor's URL.
  std::string base_url;
  // Empty: OPENAI_API_KEY or ANTHROPIC_API_KEY from the environment.
  std::string key;
  std::optional<double> temperature;        // nullopt: the model's default
  std::optional<std::uint64_t> max_tokens;  // of one answer; nullopt: the API's limit, or 4096
  // A JSON object that is merged into each request; a null removes the member.
  std::string extra_body = "{}";
  std::string prompts_dir;  // empty: the built-in prompts
  std::size_t history_bytes = 48U << 10U;
  llm::Prices prices;

  milliseconds request_timeout{300'000};  // one attempt, including the whole answer
  milliseconds total_timeout{
      1'200'000};  // all attempts for one answer, with the waits between them
  llm::RetryRules retry;
  llm::GateLimits limits;
  llm::Timing timing;
};

namespace llm {

// Returns the value of a variable; empty if it is not set.
using Environment = std::function<std::string(const char*)>;
Environment own_environment();

// Accepts "openai" and "anthropic". If `name` is empty, looks for an API key in the environment and
// falls back to OpenAI.
Result<LlmApi> api_from(const std::string& name, const Environment& environment);

// Fills in missing options from the environment. kInvalidArgument: the options are incomplete or
// invalid. Pure.
Result<ChatSettings> settle(const LlmOptions& options, const Environment& environment);

}  // namespace llm
}  // namespace sf::explore
