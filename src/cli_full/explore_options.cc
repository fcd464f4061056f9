#include "cli_full/explore_options.h"

#include <algorithm>
#include <array>

#include "os/file.h"

namespace sf::cli {

using explore::Budget;
using explore::RunPlan;

namespace {

// Groups of the help.
constexpr const char* kSearch = "Search";
constexpr const char* kBudget = "Budget";
constexpr const char* kAgent = "Agent";
constexpr const char* kWorld = "World";
constexpr std::uint64_t kUsualNodes = 60;

void add_search_options(CLI::App& command, RunPlan& plan) {
  auto add = [&](const char* name, auto& value, const char* description, const char* type) {
    command.add_option(name, value, description)->type_name(type)->group(kSearch);
  };
  add("--policy", plan.policy, "How to search (default mcts)", "pass@k|best-of-n|beam|mcts");
  add("--attempts", plan.options.attempts, "pass@k, best-of-n: rollouts (default 20)", "COUNT");
  add("--steps", plan.options.steps, "In each of them, or on mcts's main line (default 30)",
      "COUNT");
  add("--width", plan.options.width, "mcts, beam: alternatives from one state (default 3)",
      "COUNT");
  add("--depth", plan.options.depth, "mcts: how far a search looks ahead (default 2)", "COUNT");
  add("--beam", plan.options.beam, "beam: states that go on (default 2)", "COUNT");
  add("--exploration", plan.options.exploration, "mcts: weight of what was tried little (1.0)",
      "NUMBER");
  add("--jobs", plan.jobs, "Branches at the same time (default 1)", "COUNT");
}

void add_budget_options(CLI::App& command, RunPlan& plan) {
  plan.budget.nodes = kUsualNodes;
  auto add = [&](const char* name, auto& value, const char* description, const char* type) {
    command.add_option(name, value, description)->type_name(type)->group(kBudget);
  };
  add("--max-nodes", plan.budget.nodes, "Actions that are tried (default 60)", "COUNT");
  add("--max-calls", plan.budget.model_calls, "Calls of the model", "COUNT");
  add("--max-tokens", plan.budget.tokens, "Tokens, in and out", "COUNT");
  add("--max-cost", plan.budget.money, "Dollars", "NUMBER");
  command
      .add_option_function<std::uint64_t>(
          "--max-time",
          [&plan](std::uint64_t value) {
            plan.budget.time = seconds(static_cast<long long>(value));
          },
          "Seconds of search")
      ->type_name("SECONDS")
      ->group(kBudget);
}

void add_agent_options(CLI::App& command, ExploreArguments& arguments) {
  explore::AgentChoice& agent = arguments.plan.agent;
  auto add = [&](const char* name, auto& value, const char* description, const char* type) {
    command.add_option(name, value, description)->type_name(type)->group(kAgent);
  };
  add("--agent", arguments.agent,
      "llm, llm:MODEL, script:FILE, script (the task's), exec:COMMAND, oracle", "AGENT");
  command
      .add_option_function<std::uint32_t>(
          "--think", [&agent](std::uint32_t value) { agent.think = milliseconds(value); },
          "script: what a model would take for a call (default 0)")
      ->type_name("MILLISECONDS")
      ->group(kAgent);
  add("--model", agent.model, "llm: the model's name", "NAME");
  add("--provider", agent.provider, "llm: which API (default: by the key that is set)",
      "openai|anthropic");
  add("--base-url", agent.base_url, "llm: where the API is", "URL");
  add("--temperature", agent.temperature, "llm: how different proposals are (default 0.7)",
      "NUMBER");
  add("--prompts", agent.prompts, "llm: a directory with prompts of your own", "DIR");
  add("--price-in", agent.price_in, "llm: dollars for a million tokens in", "NUMBER");
  add("--price-out", agent.price_out, "llm: dollars for a million tokens out", "NUMBER");
  add("--reply-tokens", agent.reply_tokens, "llm: of one answer (default: the API's own)", "COUNT");
  add("--extra-body", agent.extra_body, "llm: a JSON object, merged into each request", "JSON");
  add("--requests-at-once", agent.at_once, "llm: no more than these (default: --jobs)", "COUNT");
  add("--requests-per-minute", agent.per_minute, "llm: no more than these begin", "COUNT");
}

void add_world_options(CLI::App& command, ExploreArguments& arguments) {
  RunPlan& plan = arguments.plan;
  auto add = [&](const char* name, auto& value, const char* description, const char* type) {
    command.add_option(name, value, description)->type_name(type)->group(kWorld);
  };
  add("--root", plan.root, "What FROM stands for: directory, archive or root's name", "FILE");
  add("--from", arguments.from, "The same for one image: debian:12=ROOT", "IMAGE=ROOT");
  add("--backend", plan.backend, "What keeps the states (default waypoint)", "NAME");
  add("--materialize", plan.materialization, "Which states are kept whole (default smart)",
      "eager|lazy|smart");
  add("--engine", plan.engine, "waypoint: what captures processes", "criu|native|auto");
  add("--network", plan.network, "What the session sees (default none)", "none|host");
  command
      .add_option_function<std::uint64_t>(
          "--command-timeout",
          [&plan](std::uint64_t value) {
            plan.command_timeout = seconds(static_cast<long long>(value));
          },
          "Until a command is interrupted (default 120, or all the task's time if that is less)")
      ->type_name("SECONDS")
      ->group(kWorld);
}

// What a run began with stays as it was: its tree was grown with it.
Status refuse_others(const CLI::App& command) {
  constexpr std::array kChangeable = {"--jobs", "--command-timeout", "--no-diffs"};
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    const bool is_fixed =
        option->get_group() == kSearch || option->get_group() == kWorld || name == "--out";
    if (option->count() == 0 || !is_fixed ||
        std::ranges::find(kChangeable, name) != kChangeable.end())
      continue;
    return invalid(name + " is what the run began with",
                   "a resumed run takes --agent, --jobs, --command-timeout and budgets");
  }
  return Ok{};
}

void change_budget(const CLI::App& command, const Budget& given, Budget& budget) {
  if (command.count("--max-nodes") > 0) budget.nodes = given.nodes;
  if (command.count("--max-calls") > 0) budget.model_calls = given.model_calls;
  if (command.count("--max-tokens") > 0) budget.tokens = given.tokens;
  if (command.count("--max-cost") > 0) budget.money = given.money;
  if (command.count("--max-time") > 0) budget.time = given.time;
}

bool has_any(const CLI::App& command, const char* group) {
  return std::ranges::any_of(command.get_options(), [&](const CLI::Option* option) {
    return option->get_group() == group && option->count() > 0;
  });
}

}  // namespace

void add_explore_options(CLI::App& command, ExploreArguments& arguments) {
  arguments.command = &command;
  command.add_option("TASK", arguments.task, "A task's directory: Terminal-Bench or Harbor")
      ->type_name("DIR");
  command.add_option("--resume", arguments.resume, "Go on with a run that was stopped or killed")
      ->type_name("RUN");
  command.add_option("-o,--out", arguments.out, "Where the run's files go (default runs/...)")
      ->type_name("DIR");
  command.add_flag_callback(
      "--no-diffs", [&arguments] { arguments.plan.compares = false; },
      "Do not compare states for the report: it is there at once");
  add_search_options(command, arguments.plan);
  add_budget_options(command, arguments.plan);
  add_agent_options(command, arguments);
  add_world_options(command, arguments);
}

Status choose_agent(const ExploreArguments& arguments, RunPlan& plan) {
  plan.agent = arguments.plan.agent;
  if (arguments.agent == "script") {  // the task's own
    plan.agent.kind = "script";
    plan.agent.file = plan.task_directory + "/script.json";
  } else {
    SF_TRY(explore::parse_agent(arguments.agent, plan.agent));
  }
  // A run is resumed from wherever.
  for (std::string* path : {&plan.agent.file, &plan.agent.prompts}) {
    if (path->empty()) continue;
    SF_TRY_ASSIGN(*path, os::real_path(*path));
  }
  return Ok{};
}

Status change_resumed(const ExploreArguments& arguments, RunPlan& plan) {
  const CLI::App& command = *arguments.command;
  SF_TRY(refuse_others(command));
  change_budget(command, arguments.plan.budget, plan.budget);
  if (command.count("--no-diffs") > 0) plan.compares = false;
  if (command.count("--jobs") > 0) plan.jobs = arguments.plan.jobs;
  if (command.count("--command-timeout") > 0) plan.command_timeout = arguments.plan.command_timeout;
  if (command.count("--agent") > 0) {
    const std::string before = plan.agent.kind;
    SF_TRY(choose_agent(arguments, plan));
    // Its files are there from the first state on, or nowhere.
    if (before != plan.agent.kind && (before == "oracle" || plan.agent.kind == "oracle"))
      return invalid("a run begins with the task's own solution or goes on without it",
                     "begin another one: statefork explore TASK --agent ...");
    return Ok{};
  }
  if (has_any(command, kAgent))
    return invalid("options of an agent need the agent", "name it, too: --agent AGENT");
  return Ok{};
}

}  // namespace sf::cli
