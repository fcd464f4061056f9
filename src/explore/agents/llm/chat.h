// What is asked of a model and what it answers, whichever API carries it. Plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sf::explore::llm {

struct ChatMessage {
  enum class Role { kUser, kAssistant };
  Role role = Role::kUser;
  std::string text;
};

struct ChatRequest {
  std::string system;
  std::vector<ChatMessage> messages;  // the user's first, then in turn
};

struct ChatAnswer {
  std::string text;
  std::string stop_reason;                 // in the API's words
  bool is_cut = false;                     // the limit of tokens was reached: more was to come
  std::optional<std::uint64_t> tokens_in;  // nothing: the server did not say
  std::optional<std::uint64_t> tokens_out;
};

// In dollars for a million tokens.
struct Prices {
  double in = 0;
  double out = 0;
  double of(std::uint64_t tokens_in, std::uint64_t tokens_out) const {
    constexpr double kMillion = 1e6;
    return (static_cast<double>(tokens_in) * in + static_cast<double>(tokens_out) * out) / kMillion;
  }
};

}  // namespace sf::explore::llm
