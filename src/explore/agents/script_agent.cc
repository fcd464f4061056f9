#include "explore/agents/script_agent.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "explore/agents/plain_judgement.h"

namespace sf::explore {
namespace {

using Json = nlohmann::json;

std::vector<ScriptAgent::Candidate> candidates_from(const Json& list) {
  std::vector<ScriptAgent::Candidate> all;
  for (const Json& each : list) {
    ScriptAgent::Candidate made;
    made.action.command = each.at("command");
    made.action.thought = each.value("thought", "");
    made.action.is_last = each.value("last", false);
    made.value = each.value("value", -1.0);
    made.reflection = each.value("reflection", "");
    if (each.contains("next")) made.next = candidates_from(each.at("next"));
    all.push_back(std::move(made));
  }
  return all;
}

}  // namespace

Result<std::unique_ptr<ScriptAgent>> ScriptAgent::parse(std::string_view json, milliseconds think) {
  const Json script = Json::parse(json, nullptr, false);
  try {
    std::vector<Candidate> first = candidates_from(script.at("candidates"));
    if (first.empty()) return invalid("the script has no candidates");
    return std::unique_ptr<ScriptAgent>(new ScriptAgent(std::move(first), think));
  } catch (const Json::exception& e) {
    return invalid(std::string("malformed script: ") + e.what());
  }
}

void ScriptAgent::think(Usage& usage) const {
  if (think_ == milliseconds(0)) return;
  const Stopwatch watch;
  std::this_thread::sleep_for(think_);
  ++usage.model_calls;
  usage.model_time += watch.elapsed();
}

const std::vector<ScriptAgent::Candidate>* ScriptAgent::candidates_after(
    const std::vector<Turn>& path) const {
  const std::vector<Candidate>* at = &first_;
  for (const Turn& turn : path) {
    auto found = std::ranges::find_if(
        *at, [&](const Candidate& candidate) { return candidate.action == turn.action; });
    if (found == at->end()) return nullptr;
    at = &found->next;
  }
  return at;
}

Result<Action> ScriptAgent::propose(const Situation& situation, Usage& usage) {
  think(usage);
  const std::vector<Candidate>* candidates = candidates_after(situation.path);
  if (candidates == nullptr || candidates->empty())
    return fail(ErrorCode::kNotFound, "the script has no candidate for this state");
  // A search gets the first candidate that is neither tried nor under way. `ordinal` alone is not
  // enough: a candidate that was under way when the run was killed must be proposed again. Rollouts
  // may repeat each other's candidates.
  if (situation.lane == 0) {
    std::size_t under_way =
        situation.ordinal - std::min(situation.ordinal, situation.siblings.size());
    for (const Candidate& candidate : *candidates) {
      const bool is_tried = std::ranges::any_of(
          situation.siblings, [&](const Turn& turn) { return turn.action == candidate.action; });
      if (!is_tried && under_way-- == 0) return candidate.action;
    }
    return fail(ErrorCode::kNotFound, "the script has no other candidate for this state");
  }
  // Decodes the rollout's number digit by digit. Each state on the path is one digit; its base is
  // the number of candidates of the state.
  auto rest = static_cast<std::size_t>(std::max(situation.lane, 0));
  const std::vector<Candidate>* at = &first_;
  for (const Turn& turn : situation.path) {
    rest /= std::max<std::size_t>(at->size(), 1);
    at = &std::ranges::find_if(*at, [&](const Candidate& candidate) {
            return candidate.action == turn.action;
          })->next;
  }
  // At the root, `ordinal` counts the other rollouts as well, and the rollout's number is enough.
  const std::size_t index = rest + (situation.path.empty() ? 0 : situation.ordinal);
  return (*candidates)[index % candidates->size()].action;
}

Result<Assessment> ScriptAgent::assess(const Situation& before, const Turn& turn, Usage& usage) {
  think(usage);
  Assessment assessment;
  assessment.value = plain_value(turn.outcome);
  if (const std::vector<Candidate>* candidates = candidates_after(before.path)) {
    for (const Candidate& candidate : *candidates) {
      if (candidate.action != turn.action) continue;
      if (candidate.value >= 0) assessment.value = candidate.value;
      assessment.reflection = candidate.reflection;
    }
  }
  return assessment;
}

Result<std::size_t> ScriptAgent::choose(const Situation&, const std::vector<Turn>& candidates,
                                        Usage& usage) {
  if (candidates.size() > 1) think(usage);  // a model would not be asked either
  return highest_value(candidates);
}

}  // namespace sf::explore
