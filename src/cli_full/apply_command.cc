#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/commands/command_frame.h"
#include "cli_full/apply_patch.h"
#include "cli_full/full_commands.h"
#include "client/session_client.h"
#include "explore/apply/winner_files.h"
#include "explore/run/run_directory.h"
#include "explore/search_policy.h"
#include "os/file.h"

namespace sf::cli {

using explore::ApplyKind;
using explore::ApplyStep;

namespace {

struct ApplyArguments : CommandFrame {
  std::string run;
  std::string target;
  std::string source;
  std::size_t node = 0;  // 0: the best
  std::vector<std::string> patterns;
  bool dry_run = false;
  bool patch = false;
  bool force = false;
};

const char* word_of(const ApplyStep& step) {
  switch (step.kind) {
    case ApplyKind::kNothing:
      return "same";
    case ApplyKind::kWrite:
      return step.host ? "change" : "add";
    case ApplyKind::kRemove:
      return "remove";
    case ApplyKind::kConflict:
      return "conflict";
  }
  return "";
}

wire::Json to_json(const ApplyStep& step) {
  return {{"path", step.path}, {"action", word_of(step)}, {"why", step.why}};
}

Result<explore::ApplyRequest> request_of(const ApplyArguments& arguments,
                                         const explore::RunPlan& plan) {
  SF_TRY_ASSIGN(explore::SearchTree tree, explore::read_tree(arguments.run));
  SF_TRY_ASSIGN(auto policy, explore::make_policy(plan.policy, plan.options));
  const std::size_t node = arguments.node == 0 ? policy->best(tree) : arguments.node;
  if (node >= tree.size())
    return invalid("the run has no node " + std::to_string(node), "see the numbers in its report");
  if (tree.at(node).state.empty())
    return fail(ErrorCode::kNotFound, "node " + std::to_string(node) + " has no saved state");
  explore::ApplyRequest request{
      .run = plan.id,
      .before = plan.state,
      .wanted = tree.at(node).state,
      .source = arguments.source.empty() ? plan.workdir : arguments.source,
      .target = arguments.target,
      .patterns = arguments.patterns};
  if (request.source.empty() || (arguments.source.empty() && request.source == "/"))
    return invalid("the directory of the session is unknown", "give it: --source /app");
  while (request.source.size() > 1 && request.source.ends_with("/")) request.source.pop_back();
  if (!request.source.starts_with("/")) return invalid("--source must be an absolute path");
  // Creates nothing yet.
  if (os::exists(arguments.target)) {
    SF_TRY_ASSIGN(request.target, os::real_path(arguments.target));
  }
  return request;
}

Result<int> run_apply(const ApplyArguments& arguments, const ApiClient& client) {
  SF_TRY_ASSIGN(explore::RunPlan plan, explore::read_plan(arguments.run));
  if (plan.session.empty())
    return fail(ErrorCode::kNotFound, "the run stopped before its task's first state");
  SF_TRY_ASSIGN(explore::ApplyRequest request, request_of(arguments, plan));
  const client::SessionClient session(client, plan.session);
  SF_TRY_ASSIGN(std::vector<ApplyStep> steps, explore::plan_apply(session, request));
  std::size_t conflicts = 0;
  wire::Json answer = {{"target", request.target}, {"files", wire::Json::array()}};
  std::string lines;
  for (const ApplyStep& step : steps) {
    conflicts += step.kind == ApplyKind::kConflict ? 1 : 0;
    answer["files"].push_back(to_json(step));
    lines += arguments.patch ? patch_of(step)
                             : std::string(word_of(step)) + "\t" + step.path +
                                   (step.why.empty() ? "" : "\t(" + step.why + ")") + "\n";
  }
  const bool only_shown = arguments.dry_run || arguments.patch;
  const bool is_refused = conflicts > 0 && !arguments.force && !only_shown;
  if (!only_shown && !is_refused)
    SF_TRY(explore::apply_steps(steps, request.target, arguments.force));
  answer["applied"] = !only_shown && !is_refused;
  print_answer(arguments, answer, [&](const auto&) { return lines; });
  if (!is_refused) return 0;
  return fail(ErrorCode::kBusy, std::to_string(conflicts) + " conflicts; nothing was changed",
              "use --force to overwrite, --path to select files, --patch to compare");
}

}  // namespace

void add_apply_command(CLI::App& app, int& exit_code) {
  auto [command, arguments] = add_daemon_command<ApplyArguments>(
      app, exit_code, "apply", "Copy a run's files into a directory of this host",
      [](const ApplyArguments& given, const ApiClient& client) {
        return run_apply(given, client);
      });
  command.add_option("RUN", arguments.run, "A run's directory")->type_name("DIR")->required();
  command.add_option("TARGET", arguments.target, "The directory to change")
      ->type_name("DIR")
      ->required();
  command
      .add_option("--source", arguments.source,
                  "Take this directory of the session (default: the task's WORKDIR)")
      ->type_name("PATH");
  command.add_option("--node", arguments.node, "Take this node of the run (default: its best)")
      ->type_name("NUMBER");
  command
      .add_option("--path", arguments.patterns, "Only files that match; '!*.log' excludes files")
      ->type_name("PATTERN");
  command.add_flag("-n,--dry-run", arguments.dry_run, "Show the changes without making them");
  command.add_flag("--patch", arguments.patch, "Print the changes as a patch instead");
  command.add_flag("-f,--force", arguments.force, "Overwrite files that were changed on this host");
  command.footer(
      "Applies the search's changes to TARGET. A file that was changed in TARGET since the task's\n"
      "first state is a conflict. If there are conflicts, nothing is changed.\n"
      "Examples:\n"
      "  statefork apply runs/fix-it-r1 ~/project --dry-run\n"
      "  statefork apply runs/fix-it-r1 ~/project --source /app --patch | git apply");
}

}  // namespace sf::cli
