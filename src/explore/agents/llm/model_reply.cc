#include "explore/agents/llm/model_reply.h"

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <sstream>

namespace sf::explore::llm {
namespace {

using Json = nlohmann::json;

Error senseless(std::string why) { return fail(ErrorCode::kCorrupt, std::move(why)); }

// The last object with one of these members: a model states its decision after its reasoning.
Result<Json> find_object(std::string_view reply, std::initializer_list<const char*> members) {
  constexpr int kMostBraces = 1000;  // limit of failed parse attempts
  Json last;
  std::istringstream text{std::string(reply)};
  int failures = 0;
  for (std::size_t at = 0; (at = reply.find('{', at)) != std::string_view::npos; ++at) {
    Json object;
    text.clear();
    text.seekg(static_cast<std::streamoff>(at));
    try {
      text >> object;  // parses one object and ignores the text behind it
    } catch (const Json::exception&) {
      if (++failures == kMostBraces) break;
      continue;
    }
    // Skip nested objects.
    const std::streamoff end = text.eof() ? -1 : static_cast<std::streamoff>(text.tellg());
    at = end < 0 ? reply.size() - 1 : static_cast<std::size_t>(end) - 1;
    for (const char* member : members)
      if (object.contains(member)) last = object;
  }
  if (last.is_null())
    return senseless("there is no JSON object with \"" + std::string(*members.begin()) +
                     "\" in it");
  return last;
}

// A missing member is treated as null.
Result<std::string> text_of(const Json& object, const char* key) {
  const Json value = object.value(key, Json());
  if (value.is_null()) return std::string();
  if (!value.is_string()) return senseless("\"" + std::string(key) + "\" must be a string");
  return value.get<std::string>();
}

}  // namespace

Result<Action> parse_action(std::string_view reply) {
  SF_TRY_ASSIGN(const Json object, find_object(reply, {"command", "done"}));
  Action action;
  SF_TRY_ASSIGN(action.command, text_of(object, "command"));
  SF_TRY_ASSIGN(action.thought, text_of(object, "thought"));
  const Json done = object.value("done", Json(false));
  if (!done.is_boolean() && !done.is_null()) return senseless("\"done\" must be true or false");
  action.is_last = done.is_boolean() && done.get<bool>();
  if (action.command.empty() && !action.is_last)
    return senseless("\"command\" is missing; it may be empty only if \"done\" is true");
  if (action.command.find('\0') != std::string::npos)
    return senseless("\"command\" holds a NUL character");
  return action;
}

Result<Judgement> parse_judgement(std::string_view reply) {
  SF_TRY_ASSIGN(const Json object, find_object(reply, {"value"}));
  const Json& value = object.at("value");
  if (!value.is_number() || !(value.get<double>() >= 0 && value.get<double>() <= 1))
    return senseless("\"value\" must be a number from 0 to 1");
  SF_TRY_ASSIGN(std::string reflection, text_of(object, "reflection"));
  return Judgement{value.get<double>(), std::move(reflection)};
}

Result<std::size_t> parse_choice(std::string_view reply, std::size_t count) {
  SF_TRY_ASSIGN(const Json object, find_object(reply, {"choice"}));
  const Json& choice = object.at("choice");
  if (!choice.is_number_unsigned() || choice.get<std::uint64_t>() < 1 ||
      choice.get<std::uint64_t>() > count)
    return senseless("\"choice\" must be a whole number from 1 to " + std::to_string(count));
  return static_cast<std::size_t>(choice.get<std::uint64_t>()) - 1;
}

}  // namespace sf::explore::llm
