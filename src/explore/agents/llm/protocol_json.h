// Helpers that both APIs share: errors, and numbers that may be missing. Pure.
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
// Reads {"error": {"message": ..., "type" or "code": ...}}; nullopt if the body has another form.
std::optional<ServerProblem> problem_in(const nlohmann::json& body);
std::optional<ServerProblem> problem_in(std::string_view body);

// nullopt if the member is missing, null or not a whole number.
std::optional<std::uint64_t> count_in(const nlohmann::json& object, const char* key);

// The data of an event. kCorrupt: it is not a JSON object; kBusy: it reports an error.
Result<nlohmann::json> event_object(const wire::ServerEvent& event);
Error senseless_event(const wire::ServerEvent& event, std::string_view why);

nlohmann::json message_json(const ChatMessage& message);
// The body as text, merged with the extra body of the settings.
std::string finished_body(nlohmann::json body, const ChatSettings& settings);

}  // namespace sf::explore::llm
