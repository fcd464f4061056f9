#include "explore/agents/agent_choice.h"

#include <nlohmann/json.hpp>

#include "explore/agents/exec_agent.h"
#include "explore/agents/llm/llm_agent.h"
#include "explore/agents/script_agent.h"
#include "os/file.h"

namespace sf::explore {

using wire::Json;

namespace {

Result<std::unique_ptr<Agent>> make_oracle(const std::string& command) {
  if (command.empty())
    return fail(ErrorCode::kNotFound, "the task has no reference solution",
                "add solution.sh or solution/solve.sh to the task");
  const Json script = {{"candidates", {{{"command", command}, {"last", true}}}}};
  SF_TRY_ASSIGN(std::unique_ptr<ScriptAgent> agent, ScriptAgent::parse(script.dump()));
  return std::unique_ptr<Agent>(std::move(agent));
}

Result<std::unique_ptr<Agent>> make_llm(const AgentChoice& choice) {
  LlmOptions options;
  SF_TRY_ASSIGN(options.api, llm::api_from(choice.provider, llm::own_environment()));
  options.model = choice.model;
  options.base_url = choice.base_url;
  options.prompts_dir = choice.prompts;
  options.temperature = choice.temperature;
  options.prices = {choice.price_in, choice.price_out};
  if (choice.reply_tokens != 0) options.max_tokens = choice.reply_tokens;
  options.extra_body = choice.extra_body;
  options.limits = {choice.at_once, choice.per_minute};
  return make_llm_agent(options);
}

}  // namespace

Json to_json(const AgentChoice& choice) {
  return {{"kind", choice.kind},
          {"file", choice.file},
          {"think_ms", choice.think.count()},
          {"command", choice.command},
          {"provider", choice.provider},
          {"model", choice.model},
          {"base_url", choice.base_url},
          {"prompts", choice.prompts},
          {"temperature", choice.temperature},
          {"price_in", choice.price_in},
          {"price_out", choice.price_out},
          {"reply_tokens", choice.reply_tokens},
          {"extra_body", choice.extra_body},
          {"at_once", choice.at_once},
          {"per_minute", choice.per_minute}};
}

Result<AgentChoice> agent_choice_from(const Json& json) {
  try {
    AgentChoice choice;
    choice.kind = json.at("kind");
    choice.file = json.at("file");
    choice.think = milliseconds(json.value("think_ms", 0LL));
    choice.command = json.at("command");
    choice.provider = json.at("provider");
    choice.model = json.at("model");
    choice.base_url = json.at("base_url");
    choice.prompts = json.at("prompts");
    choice.temperature = json.at("temperature");
    choice.price_in = json.at("price_in");
    choice.price_out = json.at("price_out");
    choice.reply_tokens = json.at("reply_tokens");
    choice.extra_body = json.at("extra_body");
    choice.at_once = json.at("at_once");
    choice.per_minute = json.at("per_minute");
    return choice;
  } catch (const Json::exception& e) {
    return fail(ErrorCode::kCorrupt, std::string("malformed agent options: ") + e.what());
  }
}

Status parse_agent(const std::string& text, AgentChoice& into) {
  const std::size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  const std::string rest = colon == std::string::npos ? "" : text.substr(colon + 1);
  const bool needs_more = kind == "script" || kind == "exec";
  if (kind != "llm" && kind != "oracle" && !needs_more)
    return invalid("unknown agent \"" + kind + "\"",
                   "use llm, llm:MODEL, script:FILE, exec:COMMAND or oracle");
  if (needs_more && rest.empty())
    return invalid("\"" + kind + "\" needs an argument",
                   kind == "script" ? "script:FILE" : "exec:COMMAND");
  into.kind = kind;
  if (kind == "script") into.file = rest;
  if (kind == "exec") into.command = rest;
  if (kind == "llm" && !rest.empty()) into.model = rest;
  return Ok{};
}

Result<std::unique_ptr<Agent>> make_agent(const AgentChoice& choice,
                                          const std::string& oracle_command,
                                          const std::string& log) {
  if (choice.kind == "oracle") return make_oracle(oracle_command);
  if (choice.kind == "script") {
    SF_TRY_ASSIGN(std::string text, os::read_file(choice.file));
    auto agent = ScriptAgent::parse(text, choice.think);
    if (!agent) return std::move(agent).error().while_doing(choice.file);
    return std::unique_ptr<Agent>(std::move(*agent));
  }
  if (choice.kind == "exec")
    return make_exec_agent({.argv = {"/bin/sh", "-c", choice.command}, .log = log});
  if (choice.kind == "llm") return make_llm(choice);
  return invalid("unknown agent \"" + choice.kind + "\"");
}

}  // namespace sf::explore
