// What both APIs have in common: errors, and numbers that may be missing. Pure.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "explore/agents/llm/chat.h"
#include "explore/agents/llm/chat_protocol.h"

namespace sf::explore::llm {

struct ServerProblem {
  std::string message;
  std::string type;  // such as "overloaded_error"
};
// {"error": {"message": ..., "type" or "code": ...}}; nothing when that is not what it is.
std::optional<ServerProblem> problem_in(const nlohmann::json& body);
std::optional<ServerProblem> problem_in(std::string_view body);

// Absent, null or no whole number: nothing.
std::optional<std::uint64_t> count_in(const nlohmann::json& object, const char* key);

// An event's data. kCorrupt: it is no JSON object; kBusy: it tells of an error.
Result<nlohmann::json> event_object(const wire::ServerEvent& event);
Error senseless_event(const wire::ServerEvent& event, std::string_view why);

nlohmann::json message_json(const ChatMessage& message);
// The body as text, with what the settings add to it.
std::string finished_body(nlohmann::json body, const ChatSettings& settings);

}  // namespace sf::explore::llm
