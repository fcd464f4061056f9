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
  add("--policy", plan.policy, "Search with this policy (default: mcts)",
      "pass@k|best-of-n|beam|mcts");
  add("--attempts", plan.options.attempts,
      "Make this many rollouts of pass@k or best-of-n (default: 20)", "COUNT");
  add("--steps", plan.options.steps,
      "Limit the actions per rollout, or on mcts's main line (default: 30)", "COUNT");
  add("--width", plan.options.width,
      "Propose this many actions per state of mcts, beam (default: 3)", "COUNT");
  add("--depth", plan.options.depth, "Look this many actions ahead with mcts (default: 2)",
      "COUNT");
  add("--beam", plan.options.beam, "Keep this many states per step of beam (default: 2)", "COUNT");
  add("--exploration", plan.options.exploration, "Weigh rarely tried states of mcts (default: 1.0)",
      "NUMBER");
  add("--jobs", plan.jobs, "Run this many branches in parallel (default: 1)", "COUNT");
}

void add_budget_options(CLI::App& command, RunPlan& plan) {
  plan.budget.nodes = kUsualNodes;
  auto add = [&](const char* name, auto& value, const char* description, const char* type) {
    command.add_option(name, value, description)->type_name(type)->group(kBudget);
  };
  add("--max-nodes", plan.budget.nodes, "Limit the actions to try (default: 60)", "COUNT");
  add("--max-calls", plan.budget.model_calls, "Limit the calls of the model", "COUNT");
  add("--max-tokens", plan.budget.tokens, "Limit the input and output tokens", "COUNT");
  add("--max-cost", plan.budget.money, "Limit the cost in dollars", "NUMBER");
  command
      .add_option_function<std::uint64_t>(
          "--max-time",
          [&plan](std::uint64_t value) {
            plan.budget.time = seconds(static_cast<long long>(value));
          },
          "Limit the time of the search")
      ->type_name("SECONDS")
      ->group(kBudget);
}

void add_agent_options(CLI::App& command, ExploreArguments& arguments) {
  explore::AgentChoice& agent = arguments.plan.agent;
  auto add = [&](const char* name, auto& value, const char* description, const char* type) {
    command.add_option(name, value, description)->type_name(type)->group(kAgent);
  };
  add("--agent", arguments.agent,
      "Use this agent: llm, llm:MODEL, script:FILE, script (the task's), exec:COMMAND, oracle",
      "AGENT");
  command
      .add_option_function<std::uint32_t>(
          "--think", [&agent](std::uint32_t value) { agent.think = milliseconds(value); },
          "Simulate the duration of a call with script (default: 0)")
      ->type_name("MILLISECONDS")
      ->group(kAgent);
  add("--model", agent.model, "Ask this model", "NAME");
  add("--provider", agent.provider, "Use this API (default: by the key that is set)",
      "openai|anthropic");
  add("--base-url", agent.base_url, "Send requests of the API to this address", "URL");
  add("--temperature", agent.temperature, "Sample with this temperature (default: 0.7)", "NUMBER");
  add("--prompts", agent.prompts, "Take the prompts from this directory", "DIR");
  add("--price-in", agent.price_in, "Set the dollars per million input tokens", "NUMBER");
  add("--price-out", agent.price_out, "Set the dollars per million output tokens", "NUMBER");
  add("--reply-tokens", agent.reply_tokens,
      "Limit the tokens of a reply (default: the API's limit)", "COUNT");
  add("--extra-body", agent.extra_body, "Merge this JSON object into each request", "JSON");
  add("--requests-at-once", agent.at_once, "Limit the parallel requests (default: --jobs)",
      "COUNT");
  add("--requests-per-minute", agent.per_minute, "Limit the rate of requests", "COUNT");
}

void add_world_options(CLI::App& command, ExploreArguments& arguments) {
  RunPlan& plan = arguments.plan;
  auto add = [&](const char* name, auto& value, const char* description, const char* type) {
    command.add_option(name, value, description)->type_name(type)->group(kWorld);
  };
  add("--root", plan.root, "Use this root for FROM: a directory, archive or root's name", "FILE");
  add("--from", arguments.from, "Use this root for one image, as in debian:12=ROOT", "IMAGE=ROOT");
  add("--backend", plan.backend, "Use this backend (default: waypoint)", "NAME");
  add("--materialize", plan.materialization,
      "Choose physical nodes by this policy (default: smart)", "eager|lazy|smart");
  add("--engine", plan.engine, "Capture processes with this engine of waypoint (default: auto)",
      "criu|native|auto");
  add("--network", plan.network, "Use this network (default: none)", "none|host");
  command
      .add_option_function<std::uint64_t>(
          "--command-timeout",
          [&plan](std::uint64_t value) {
            plan.command_timeout = seconds(static_cast<long long>(value));
          },
          "Limit each command (default: 120, or the task's limit if that is less)")
      ->type_name("SECONDS")
      ->group(kWorld);
}

// A resumed run keeps its other options, since its tree was searched with them.
Status refuse_others(const CLI::App& command) {
  constexpr std::array kChangeable = {"--jobs", "--command-timeout", "--no-diffs"};
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    const bool is_fixed =
        option->get_group() == kSearch || option->get_group() == kWorld || name == "--out";
    if (option->count() == 0 || !is_fixed ||
        std::ranges::find(kChangeable, name) != kChangeable.end())
      continue;
    return invalid(name + " cannot be changed in a resumed run",
                   "a resumed run accepts --agent, --jobs, --command-timeout and budgets");
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
  command.add_option("--resume", arguments.resume, "Resume a run that was stopped or killed")
      ->type_name("RUN");
  command
      .add_option("-o,--out", arguments.out, "Write the run's files here (default: runs/TASK-ID)")
      ->type_name("DIR");
  command.add_flag_callback(
      "--no-diffs", [&arguments] { arguments.plan.compares = false; },
      "Do not compare states; the report is ready sooner");
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
  // The run may be resumed from another directory.
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
    // The oracle's files are in the first state or in none.
    if (before != plan.agent.kind && (before == "oracle" || plan.agent.kind == "oracle"))
      return invalid("a resumed run cannot switch to or from the oracle agent",
                     "start a new run: statefork explore TASK --agent ...");
    return Ok{};
  }
  if (has_any(command, kAgent))
    return invalid("options of an agent need --agent", "add --agent AGENT");
  return Ok{};
}

}  // namespace sf::cli
