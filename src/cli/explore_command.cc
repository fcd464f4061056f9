#include <atomic>
#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>

#include "cli/command_frame.h"
#include "cli/explore_screen.h"
#include "cli/explore_view.h"
#include "cli/interrupts.h"
#include "cli/session_commands.h"
#include "explore/run/run.h"
#include "explore/tasks/task.h"
#include "os/file.h"

namespace sf::cli {

using explore::RunDirectory;
using explore::RunPlan;

namespace {

constexpr int kNotSolved = 3;
constexpr std::uint64_t kUsualNodes = 60;

struct ExploreArguments : CommandFrame {
  std::string task;
  std::string resume;
  std::string out;
  std::string agent = "llm";
  std::vector<std::string> from;
  RunPlan plan;
};

std::string fresh_run_id() {
  std::random_device random;
  std::string id = "r";
  for (int i = 0; i < 7; ++i) id += "0123456789abcdefghijkmnpqrstvwxz"[random() % 32];
  return id;
}

std::string now_text() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

Result<RunDirectory> begin(const ExploreArguments& arguments, RunPlan& plan) {
  plan = arguments.plan;
  plan.id = fresh_run_id();
  plan.began = now_text();
  SF_TRY_ASSIGN(plan.task_directory, os::real_path(arguments.task));
  if (arguments.agent == "script") {  // the task's own
    plan.agent.kind = "script";
    plan.agent.file = plan.task_directory + "/script.json";
  } else {
    SF_TRY(explore::parse_agent(arguments.agent, plan.agent));
  }
  if (!plan.agent.file.empty()) {
    SF_TRY_ASSIGN(plan.agent.file, os::real_path(plan.agent.file));
  }
  SF_TRY_ASSIGN(plan.from, parse_pairs(arguments.from, "--from"));
  SF_TRY(explore::load_task(plan.task_directory));  // before there is a directory
  SF_TRY(explore::make_policy(plan.policy, plan.options));
  const std::size_t slash = plan.task_directory.rfind('/');
  std::string out = arguments.out;
  if (out.empty()) out = "runs/" + plan.task_directory.substr(slash + 1) + "-" + plan.id;
  return RunDirectory::create(out);
}

Result<explore::RootDirectory> find_root(const RunPlan& plan, const std::string& image) {
  auto named = plan.from.find(image);
  const std::string& source = named == plan.from.end() ? plan.root : named->second;
  if (source.empty())
    return invalid("nothing says what " + image + " is",
                   "--root DIRECTORY, or --from " + image + "=DIRECTORY");
  SF_TRY_ASSIGN(std::string path, os::real_path(source));
  if (!os::is_directory(path)) return invalid(source + " is no directory");
  return explore::RootDirectory{path, {}};
}

wire::Json answer_of(const explore::FinishedRun& run, const std::string& directory) {
  wire::Json document = explore::tree_document(run.plan, "", run.tree, run.summary, {});
  wire::Json answer = document["summary"];
  answer["run"] = directory;
  answer["session"] = run.plan.session;
  answer["node"] = run.tree.at(run.summary.best).state;
  return answer;
}

Result<int> run(const ExploreArguments& arguments, const ApiClient& client) {
  if (arguments.task.empty() == arguments.resume.empty())
    return invalid("one task, or one run to go on with",
                   "statefork explore TASK, or statefork explore --resume RUN");
  std::atomic<int> interrupted = 0;
  Interrupts interrupts([&](int count) {
    interrupted = count;
    if (count > 1) std::_Exit(130);
    print_remark("stopping when what is under way is done; Ctrl-C again stops at once");
  });
  RunPlan plan;
  SF_TRY_ASSIGN(RunDirectory directory, arguments.resume.empty()
                                            ? begin(arguments, plan)
                                            : RunDirectory::open(arguments.resume));
  if (!arguments.resume.empty()) {
    SF_TRY_ASSIGN(plan, directory.plan());
  }
  ExploreScreen screen;
  const explore::RunEvents events{
      .on_build =
          [&](const std::string& title, bool is_reused) {
            screen.say((is_reused ? "there:  " : "build:  ") + title.substr(0, title.find('\n')));
          },
      .on_progress = [&](const auto& tree, const auto& under_way) { screen.show(tree, under_way); },
      .on_phase = [](const std::string&) {},
      .stopping = [&] { return interrupted.load() > 0; }};
  screen.say("run:    " + directory.path());
  SF_TRY_ASSIGN(explore::FinishedRun done,
                explore::carry_out(
                    client, directory, plan,
                    [&](const std::string& image) { return find_root(plan, image); }, events));
  screen.finish(done.tree);
  print_answer(arguments, answer_of(done, directory.path()), [&](const auto&) {
    return summary_text(done.tree, done.summary) + "  report    " + directory.path() +
           "/report.html\n";
  });
  if (interrupted > 0) print_remark("to go on: statefork explore --resume " + directory.path());
  return done.summary.is_solved ? 0 : kNotSolved;
}

void add_search_options(CLI::App& command, RunPlan& plan) {
  constexpr const char* kSearch = "Search";
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
  constexpr const char* kBudget = "Budget";
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
  constexpr const char* kAgent = "Agent";
  explore::AgentChoice& agent = arguments.plan.agent;
  auto add = [&](const char* name, auto& value, const char* description, const char* type) {
    command.add_option(name, value, description)->type_name(type)->group(kAgent);
  };
  add("--agent", arguments.agent,
      "llm, llm:MODEL, script:FILE, script (the task's), exec:COMMAND, oracle", "AGENT");
  add("--model", agent.model, "llm: the model's name", "NAME");
  add("--provider", agent.provider, "llm: which API (default: by the key that is set)",
      "openai|anthropic");
  add("--base-url", agent.base_url, "llm: where the API is", "URL");
  add("--temperature", agent.temperature, "llm: how different proposals are (default 0.7)",
      "NUMBER");
  add("--prompts", agent.prompts, "llm: a directory with prompts of your own", "DIR");
  add("--price-in", agent.price_in, "llm: dollars for a million tokens in", "NUMBER");
  add("--price-out", agent.price_out, "llm: dollars for a million tokens out", "NUMBER");
}

void add_world_options(CLI::App& command, ExploreArguments& arguments) {
  constexpr const char* kWorld = "World";
  RunPlan& plan = arguments.plan;
  auto add = [&](const char* name, auto& value, const char* description, const char* type) {
    command.add_option(name, value, description)->type_name(type)->group(kWorld);
  };
  add("--root", plan.root, "What FROM stands for: a root file system", "DIR");
  add("--from", arguments.from, "The same for one image: debian:12=DIR", "IMAGE=DIR");
  add("--backend", plan.backend, "What keeps the states (default waypoint)", "NAME");
  add("--materialize", plan.materialization, "Which states are kept whole (default smart)",
      "eager|lazy|smart");
  add("--network", plan.network, "What the session sees (default none)", "none|host");
  command
      .add_option_function<std::uint64_t>(
          "--command-timeout",
          [&plan](std::uint64_t value) {
            plan.command_timeout = seconds(static_cast<long long>(value));
          },
          "Until a command is interrupted (default 120)")
      ->type_name("SECONDS")
      ->group(kWorld);
}

}  // namespace

void add_explore_command(CLI::App& app, int& exit_code) {
  auto [command, arguments] = add_daemon_command<ExploreArguments>(
      app, exit_code, "explore", "Search for a solution of a task",
      [](const ExploreArguments& given, const ApiClient& client) { return run(given, client); });
  command.add_option("TASK", arguments.task, "A task's directory: Terminal-Bench or Harbor")
      ->type_name("DIR");
  command.add_option("--resume", arguments.resume, "Go on with a run that was stopped or killed")
      ->type_name("RUN");
  command.add_option("-o,--out", arguments.out, "Where the run's files go (default runs/...)")
      ->type_name("DIR");
  add_search_options(command, arguments.plan);
  add_budget_options(command, arguments.plan);
  add_agent_options(command, arguments);
  add_world_options(command, arguments);
  command.footer(
      "Builds the task as nodes of a session, lets the agent try from many states of it, and has "
      "the\n"
      "task's tests judge in forks. The run's directory has the journal, the tree, trajectories "
      "and\n"
      "a report to look at.\n"
      "Exit status: 0 solved; 1 failed; 3 not solved within the budget.\n"
      "Examples:\n"
      "  statefork explore tasks/fix-it --root /srv/debian12 --agent llm:MODEL --jobs 4\n"
      "  statefork explore tasks/fix-it --root /srv/debian12 --agent script --policy pass@k\n"
      "  statefork explore --resume runs/fix-it-r1k2j3h");
}

}  // namespace sf::cli
