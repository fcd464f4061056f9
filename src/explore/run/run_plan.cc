#include "explore/run/run_plan.h"

#include <nlohmann/json.hpp>

namespace sf::explore {

using wire::Json;

namespace {

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

template <typename T>
std::optional<T> optional_from(const Json& json, const char* key) {
  const Json& value = json.at(key);
  if (value.is_null()) return std::nullopt;
  return value.get<T>();
}

Json seconds_or_null(const std::optional<seconds>& time) {
  return time ? Json(time->count()) : Json();
}

std::optional<seconds> seconds_from(const Json& json, const char* key) {
  auto count = optional_from<long long>(json, key);
  return count ? std::optional(seconds(*count)) : std::nullopt;
}

Json to_json(const Budget& budget) {
  return {{"nodes", or_null(budget.nodes)},
          {"model_calls", or_null(budget.model_calls)},
          {"tokens", or_null(budget.tokens)},
          {"money", or_null(budget.money)},
          {"time_s", seconds_or_null(budget.time)}};
}

Budget budget_from(const Json& json) {
  Budget budget;
  budget.nodes = optional_from<std::uint64_t>(json, "nodes");
  budget.model_calls = optional_from<std::uint64_t>(json, "model_calls");
  budget.tokens = optional_from<std::uint64_t>(json, "tokens");
  budget.money = optional_from<double>(json, "money");
  budget.time = seconds_from(json, "time_s");
  return budget;
}

Json to_json(const PolicyOptions& options) {
  return {{"attempts", options.attempts}, {"steps", options.steps},
          {"width", options.width},       {"depth", options.depth},
          {"beam", options.beam},         {"exploration", options.exploration}};
}

PolicyOptions options_from(const Json& json) {
  PolicyOptions options;
  options.attempts = json.at("attempts");
  options.steps = json.at("steps");
  options.width = json.at("width");
  options.depth = json.at("depth");
  options.beam = json.at("beam");
  options.exploration = json.at("exploration");
  return options;
}

}  // namespace

Json to_json(const RunPlan& plan) {
  return {{"version", 1},
          {"id", plan.id},
          {"task", plan.task_directory},
          {"policy", plan.policy},
          {"options", to_json(plan.options)},
          {"budget", to_json(plan.budget)},
          {"agent", to_json(plan.agent)},
          {"backend", plan.backend},
          {"materialization", plan.materialization},
          {"engine", plan.engine},
          {"network", plan.network},
          {"root", plan.root},
          {"from", plan.from},
          {"jobs", plan.jobs},
          {"command_timeout_s", seconds_or_null(plan.command_timeout)},
          {"compares", plan.compares},
          {"began", plan.began},
          {"session", plan.session},
          {"state", plan.state},
          {"workdir", plan.workdir}};
}

Result<RunPlan> run_plan_from(const Json& json) {
  try {
    RunPlan plan;
    if (json.at("version") != 1)
      return fail(ErrorCode::kCorrupt, "the run was made by an incompatible version of statefork");
    plan.id = json.at("id");
    plan.task_directory = json.at("task");
    plan.policy = json.at("policy");
    plan.options = options_from(json.at("options"));
    plan.budget = budget_from(json.at("budget"));
    SF_TRY_ASSIGN(plan.agent, agent_choice_from(json.at("agent")));
    plan.backend = json.at("backend");
    plan.materialization = json.at("materialization");
    plan.engine = json.value("engine", "");
    plan.network = json.at("network");
    plan.root = json.at("root");
    plan.from = json.at("from").get<std::map<std::string, std::string>>();
    plan.jobs = json.at("jobs");
    plan.command_timeout = seconds_from(json, "command_timeout_s");
    plan.compares = json.value("compares", true);
    plan.began = json.at("began");
    plan.session = json.at("session");
    plan.state = json.at("state");
    plan.workdir = json.at("workdir");
    return plan;
  } catch (const Json::exception& e) {
    return fail(ErrorCode::kCorrupt, std::string("malformed run.json: ") + e.what());
  }
}

}  // namespace sf::explore
