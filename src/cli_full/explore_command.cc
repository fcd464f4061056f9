#include <atomic>
#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>

#include "cli/commands/command_frame.h"
#include "cli/commands/interrupts.h"
#include "cli_full/explore_options.h"
#include "cli_full/explore_screen.h"
#include "cli_full/explore_view.h"
#include "cli_full/full_commands.h"
#include "cli_full/root_source.h"
#include "explore/run/run.h"
#include "explore/tasks/task.h"
#include "os/file.h"

namespace sf::cli {

using explore::RunDirectory;
using explore::RunPlan;

namespace {

constexpr int kNotSolved = 3;
constexpr int kInterrupted = 130;  // like a shell: Ctrl-C

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

Status check_jobs(std::size_t jobs) {
  constexpr std::size_t kMost = 100;  // tests fork as many branches; the limit is 256 per session
  if (jobs >= 1 && jobs <= kMost) return Ok{};
  return invalid("--jobs must be from 1 to " + std::to_string(kMost));
}

// Makes the paths of roots absolute, so that a run can be resumed from another directory.
Status settle_roots(RunPlan& plan) {
  auto settle = [](std::string& source) -> Status {
    if (source.find('/') == std::string::npos || source.starts_with("image:")) return Ok{};
    SF_TRY_ASSIGN(source, os::real_path(source));
    return Ok{};
  };
  SF_TRY(settle(plan.root));
  for (auto& [image, source] : plan.from) SF_TRY(settle(source));
  return Ok{};
}

Result<RunDirectory> begin(const ExploreArguments& arguments, RunPlan& plan) {
  plan = arguments.plan;
  plan.id = fresh_run_id();
  plan.began = now_text();
  SF_TRY_ASSIGN(plan.task_directory, os::real_path(arguments.task));
  SF_TRY(choose_agent(arguments, plan));
  SF_TRY_ASSIGN(plan.from, parse_pairs(arguments.from, "--from"));
  SF_TRY(settle_roots(plan));
  // Check the arguments before the run's directory is made.
  SF_TRY(check_jobs(plan.jobs));
  SF_TRY(explore::load_task(plan.task_directory));
  SF_TRY(explore::make_policy(plan.policy, plan.options));
  const bool runs_nothing = plan.agent.kind == "llm" || plan.agent.kind == "script";
  if (runs_nothing) SF_TRY(explore::make_agent(plan.agent, "", ""));
  const std::size_t slash = plan.task_directory.rfind('/');
  std::string out = arguments.out;
  if (out.empty()) out = "runs/" + plan.task_directory.substr(slash + 1) + "-" + plan.id;
  return RunDirectory::create(out);
}

// Includes the image's settings for programs.
Result<explore::RootDirectory> find_root(const ExploreArguments& arguments, const RunPlan& plan,
                                         const std::string& image) {
  auto named = plan.from.find(image);
  const std::string& source = named == plan.from.end() ? plan.root : named->second;
  if (source.empty())
    return invalid(
        "the image " + image + " has no root",
        "give --root ROOT or --from " + image + "=ROOT: a directory, an archive or a root's name");
  SF_TRY_ASSIGN(
      roots::RootImage root,
      root_from(source, arguments.location, arguments.json ? Progress::kHidden : Progress::kShown));
  explore::RootDirectory found{root.directory, {}};
  for (const std::string& entry : root.config.env) {
    const std::size_t equals = entry.find('=');
    if (equals != std::string::npos)
      found.defaults.env[entry.substr(0, equals)] = entry.substr(equals + 1);
  }
  found.defaults.workdir = root.config.working_dir;
  found.defaults.user = root.config.user;
  return found;
}

wire::Json answer_of(const explore::FinishedRun& run, const std::string& directory) {
  wire::Json document = explore::tree_document(run.plan, "", run.tree, run.summary, {});
  wire::Json answer = document["summary"];
  answer["run"] = directory;
  answer["session"] = run.plan.session;
  answer["node"] = run.tree.at(run.summary.best).state;
  return answer;
}

Result<int> run_explore(const ExploreArguments& arguments, const ApiClient& client) {
  if (arguments.task.empty() == arguments.resume.empty())
    return invalid("give either a task or a run to resume",
                   "statefork explore TASK, or statefork explore --resume RUN");
  std::atomic<int> interrupted = 0;
  std::atomic<bool> is_searching = false;
  Interrupts interrupts([&](int count) {
    interrupted = count;
    if (count > 1) std::_Exit(kInterrupted);
    print_remark(is_searching ? "stopping after the current steps; press Ctrl-C again to stop now"
                              : "stopping");
  });
  RunPlan plan;
  SF_TRY_ASSIGN(RunDirectory directory, arguments.resume.empty()
                                            ? begin(arguments, plan)
                                            : RunDirectory::open(arguments.resume));
  if (!arguments.resume.empty()) {
    SF_TRY_ASSIGN(plan, directory.plan());
    SF_TRY(change_resumed(arguments, plan));
    SF_TRY(check_jobs(plan.jobs));
  }
  ExploreScreen screen(plan.budget);
  const explore::RunEvents events{
      .on_build =
          [&](const std::string& title, bool is_reused) {
            screen.say((is_reused ? "reuse:  " : "build:  ") + title.substr(0, title.find('\n')));
          },
      .on_progress =
          [&](const auto& tree, const auto& under_way) {
            is_searching = true;
            screen.show(tree, under_way);
          },
      .on_phase = [&](const std::string& what) { screen.say(what); },
      .stopping = [&] { return interrupted.load() > 0; }};
  screen.say("run:    " + directory.path());
  const std::string to_resume = "to resume: statefork explore --resume " + directory.path();
  auto done = explore::carry_out(
      client, directory, plan,
      [&](const std::string& image) { return find_root(arguments, plan, image); }, events);
  if (!done) {
    if (interrupted > 0) {
      print_remark(done.error().message + "; " + to_resume);
      return kInterrupted;
    }
    Error error = std::move(done).error();
    error.hint += (error.hint.empty() ? "" : "; ") + to_resume;
    return error;
  }
  screen.finish(done->tree);
  print_answer(arguments, answer_of(*done, directory.path()),
               [&](const auto&) { return summary_text(*done, directory.path()); });
  if (interrupted > 0) print_remark(to_resume);
  return done->summary.is_solved ? 0 : kNotSolved;
}

}  // namespace

void add_explore_command(CLI::App& app, int& exit_code) {
  auto [command, arguments] = add_daemon_command<ExploreArguments>(
      app, exit_code, "explore", "Search for a solution of a task",
      [](const ExploreArguments& given, const ApiClient& client) {
        return run_explore(given, client);
      });
  add_explore_options(command, arguments);
  command.footer(
      "Builds the task as nodes of a session, lets the agent try actions from many of its states,\n"
      "and runs the task's tests in forks. The run's directory has the journal, the tree,\n"
      "trajectories and a report. Marks of the tree: = main line, * passed, - graded, x dead end,\n"
      "~ under way.\n"
      "Exit status: 0 solved; 1 failed; 3 not solved within the budget; 130 stopped before the\n"
      "search began.\n"
      "Examples:\n"
      "  statefork explore tasks/fix-it --root /srv/debian12 --agent llm:MODEL --jobs 4\n"
      "  statefork explore tasks/fix-it --root /srv/debian12 --agent script --policy pass@k\n"
      "  statefork explore --resume runs/fix-it-r1k2j3h");
}

}  // namespace sf::cli
