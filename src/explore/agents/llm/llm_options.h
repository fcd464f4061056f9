// LlmOptions: which model, where, and how it is asked.
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
  // Empty: OPENAI_BASE_URL or ANTHROPIC_BASE_URL of the environment, else the vendor's own.
  std::string base_url;
  // Empty: OPENAI_API_KEY or ANTHROPIC_API_KEY of the environment.
  std::string key;
  std::optional<double> temperature;        // nothing: the model's own
  std::optional<std::uint64_t> max_tokens;  // of one answer; nothing: the API's own, or 4096
  // A JSON object that is merged into each request; null removes a member.
  std::string extra_body = "{}";
  std::string prompts_dir;  // empty: the prompts that are built in
  std::size_t history_bytes = 48U << 10U;
  llm::Prices prices;

  milliseconds request_timeout{300'000};  // one attempt, to the last byte of its answer
  milliseconds total_timeout{
      1'200'000};  // all attempts for one answer, with the waits between them
  llm::RetryRules retry;
  llm::GateLimits limits;
  llm::Timing timing;
};

namespace llm {

// A variable's value; empty when there is none.
using Environment = std::function<std::string(const char*)>;
Environment own_environment();

// "openai" or "anthropic"; empty: the one that the environment has a key for, else OpenAI's.
Result<LlmApi> api_from(const std::string& name, const Environment& environment);

// With what is missing from the environment. kInvalidArgument: it would not work. Pure.
Result<ChatSettings> settle(const LlmOptions& options, const Environment& environment);

}  // namespace llm
}  // namespace sf::explore
