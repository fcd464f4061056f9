// A request to a model and its answer, independent of the API. Plain data.
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
  std::vector<ChatMessage> messages;  // alternating, the user's first
};

struct ChatAnswer {
  std::string text;
  std::string stop_reason;                 // as the API names it
  bool is_cut = false;                     // the token limit ended the answer early
  std::optional<std::uint64_t> tokens_in;  // nullopt: the server did not report it
  std::optional<std::uint64_t> tokens_out;
};

// In dollars per million tokens.
struct Prices {
  double in = 0;
  double out = 0;
  double of(std::uint64_t tokens_in, std::uint64_t tokens_out) const {
    constexpr double kMillion = 1e6;
    return (static_cast<double>(tokens_in) * in + static_cast<double>(tokens_out) * out) / kMillion;
  }
};

}  // namespace sf::explore::llm
