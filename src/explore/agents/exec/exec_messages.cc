#include "explore/agents/exec/exec_messages.h"

#include <nlohmann/json.hpp>

#include "explore/agents/quote.h"
#include "wire/json_fields.h"

namespace sf::explore {
namespace {

using wire::Json;

Json turn_json(const Turn& turn) {
  return {{"command", turn.action.command},
          {"thought", turn.action.thought},
          {"done", turn.action.is_last},
          {"output", turn.outcome.output},
          {"exit_code", turn.outcome.exit_code},
          {"timed_out", turn.outcome.timed_out},
          {"value", turn.value},
          {"reflection", turn.reflection}};
}

Json turns_json(const std::vector<Turn>& turns) {
  Json list = Json::array();
  for (const Turn& turn : turns) list.push_back(turn_json(turn));
  return list;
}

Json request(const char* operation, const Situation& situation) {
  return {{"op", operation},
          {"situation",
           {{"instruction", situation.instruction},
            {"path", turns_json(situation.path)},
            {"siblings", turns_json(situation.siblings)},
            {"ordinal", situation.ordinal},
            {"lane", situation.lane}}}};
}

Error senseless(const Json& answer, const std::string& why) {
  return fail(ErrorCode::kCorrupt,
              "the agent program's answer: " + why + ": " +
                  quote(answer.dump(-1, ' ', false, Json::error_handler_t::replace)));
}

// The fields that every answer may have.
struct Frame {
  std::uint64_t id = 0;
  std::string error;
  bool unsupported = false;
  Usage usage;

  void read_from(wire::JsonFields& fields, Usage& spent) {
    fields.read("id", id);
    fields.read("error", error);
    fields.read("unsupported", unsupported);
    fields.read("model_calls", usage.model_calls);
    fields.read("tokens_in", usage.tokens_in);
    fields.read("tokens_out", usage.tokens_out);
    fields.read("money", usage.money);
    spent += usage;
  }
  // Call after all fields are read. Requires: `fields` reads from `answer`.
  Status check(wire::JsonFields& fields, const Json& answer) const {
    if (!error.empty())
      return fail(ErrorCode::kUnsupported, "the agent program says: " + quote(error));
    if (Status done = fields.done(); !done) return senseless(answer, done.error().describe());
    return Ok{};
  }
};

}  // namespace

Json propose_request(const Situation& situation) { return request("propose", situation); }

Json assess_request(const Situation& before, const Turn& turn) {
  Json json = request("assess", before);
  json["turn"] = turn_json(turn);
  return json;
}

Json choose_request(const Situation& before, const std::vector<Turn>& candidates) {
  Json json = request("choose", before);
  json["candidates"] = turns_json(candidates);
  return json;
}

Result<Action> action_from(const Json& answer, Usage& usage) {
  Frame frame;
  Action action;
  wire::JsonFields fields(answer);
  frame.read_from(fields, usage);
  fields.read("command", action.command);
  fields.read("thought", action.thought);
  fields.read("done", action.is_last);
  SF_TRY(frame.check(fields, answer));
  if (frame.unsupported)
    return fail(ErrorCode::kUnsupported, "the agent program cannot propose anything");
  if (action.command.empty() && !action.is_last)
    return senseless(answer, "\"command\" is missing, and \"done\" is not true");
  if (action.command.find('\0') != std::string::npos)
    return senseless(answer, "\"command\" holds a NUL character");
  return action;
}

Result<std::optional<Assessment>> assessment_from(const Json& answer, Usage& usage) {
  Frame frame;
  Assessment assessment;
  wire::JsonFields fields(answer);
  frame.read_from(fields, usage);
  fields.read("value", assessment.value);
  fields.read("reflection", assessment.reflection);
  SF_TRY(frame.check(fields, answer));
  if (frame.unsupported) return std::optional<Assessment>();
  if (!fields.has("value") || !(assessment.value >= 0 && assessment.value <= 1))
    return senseless(answer, "\"value\" must be a number from 0 to 1");
  return std::optional(std::move(assessment));
}

Result<std::optional<std::size_t>> choice_from(const Json& answer, std::size_t candidates,
                                               Usage& usage) {
  Frame frame;
  std::uint64_t index = 0;
  wire::JsonFields fields(answer);
  frame.read_from(fields, usage);
  fields.read("choice", index);
  SF_TRY(frame.check(fields, answer));
  if (frame.unsupported) return std::optional<std::size_t>();
  if (!fields.has("choice") || index >= candidates)
    return senseless(answer, "\"choice\" must be the index of a candidate, from 0 to " +
                                 std::to_string(candidates - 1));
  return std::optional(static_cast<std::size_t>(index));
}

}  // namespace sf::explore
