#include "explore/agents/llm/protocol_json.h"

#include "explore/agents/quote.h"

namespace sf::explore::llm {

using Json = nlohmann::json;

namespace {

std::string text_in(const Json& object, const char* key) {
  auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace

std::optional<ServerProblem> problem_in(const Json& body) {
  if (!body.is_object()) return std::nullopt;
  auto error = body.find("error");
  if (error == body.end() || error->is_null()) return std::nullopt;
  if (error->is_string()) return ServerProblem{error->get<std::string>(), ""};
  if (!error->is_object()) return ServerProblem{error->dump(), ""};
  std::string type = text_in(*error, "code");
  if (type.empty()) type = text_in(*error, "type");
  return ServerProblem{text_in(*error, "message"), std::move(type)};
}

std::optional<ServerProblem> problem_in(std::string_view body) {
  return problem_in(Json::parse(body, nullptr, false));
}

std::optional<std::uint64_t> count_in(const Json& object, const char* key) {
  if (!object.is_object()) return std::nullopt;
  auto found = object.find(key);
  if (found == object.end() || !found->is_number_unsigned()) return std::nullopt;
  return found->get<std::uint64_t>();
}

Error senseless_event(const wire::ServerEvent& event, std::string_view why) {
  return fail(ErrorCode::kCorrupt,
              "an event of the answer " + std::string(why) + ": " + quote(event.data));
}

Result<Json> event_object(const wire::ServerEvent& event) {
  Json data = Json::parse(event.data, nullptr, false);
  if (!data.is_object()) return senseless_event(event, "is not a JSON object");
  if (auto problem = problem_in(data))
    return fail(ErrorCode::kBusy, "the server reports: " + problem->type +
                                      (problem->type.empty() ? "" : ": ") +
                                      quote(problem->message));
  return data;
}

Json message_json(const ChatMessage& message) {
  return {{"role", message.role == ChatMessage::Role::kUser ? "user" : "assistant"},
          {"content", message.text}};
}

std::string finished_body(Json body, const ChatSettings& settings) {
  body["model"] = settings.model;
  body["stream"] = true;
  if (settings.temperature) body["temperature"] = *settings.temperature;
  if (settings.max_tokens) body["max_tokens"] = *settings.max_tokens;
  body.merge_patch(Json::parse(settings.extra_body, nullptr, false));
  // Command output may contain any bytes.
  return body.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace sf::explore::llm
