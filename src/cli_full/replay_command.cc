#include <unistd.h>

#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands/command_frame.h"
#include "cli/render/text_layout.h"
#include "cli_full/explore_view.h"
#include "cli_full/full_commands.h"
#include "explore/run/run_directory.h"
#include "explore/search_policy.h"

namespace sf::cli {

using explore::NodeIndex;
using explore::SearchNode;
using explore::SearchTree;

namespace {

struct ReplayArguments {
  std::string run;
  std::size_t node = 0;  // 0: the best
  bool all = false;
  bool json = false;
};

std::string told(const SearchTree& tree, NodeIndex index) {
  const SearchNode& node = tree.at(index);
  std::string text = node_line(tree, index) + "\n";
  if (!node.action.thought.empty()) text += "  # " + node.action.thought + "\n";
  text += "$ " + node.action.command + "\n" + node.outcome.output;
  if (!text.ends_with('\n')) text += '\n';
  if (!node.reflection.empty()) text += "  learnt: " + node.reflection + "\n";
  if (node.grade) text += grade_line(tree, index) + "\n" + node.grade->log;
  if (!text.ends_with('\n')) text += '\n';
  return text + "\n";
}

wire::Json to_json(const SearchTree& tree, NodeIndex index) {
  const SearchNode& node = tree.at(index);
  return {{"node", index},
          {"state", node.state},
          {"command", node.action.command},
          {"output", node.outcome.output},
          {"exit_code", node.outcome.exit_code},
          {"value", node.value},
          {"score", node.grade ? wire::Json(node.grade->score) : wire::Json()}};
}

Result<int> run_replay(const ReplayArguments& arguments) {
  SF_TRY_ASSIGN(explore::RunPlan plan, explore::read_plan(arguments.run));
  SF_TRY_ASSIGN(SearchTree tree, explore::read_tree(arguments.run));
  SF_TRY_ASSIGN(auto policy, explore::make_policy(plan.policy, plan.options));
  const NodeIndex end = arguments.node == 0 ? policy->best(tree) : arguments.node;
  if (end >= tree.size())
    return invalid("the run has no node " + std::to_string(end),
                   "its last node is " + std::to_string(tree.size() - 1));
  std::vector<NodeIndex> order = tree.path(end);
  if (arguments.all) {
    order.clear();
    for (NodeIndex index = 1; index < tree.size(); ++index) order.push_back(index);
  }
  if (arguments.json) {
    wire::Json steps = wire::Json::array();
    for (NodeIndex index : order) steps.push_back(to_json(tree, index));
    print_json({{"run", plan.id}, {"session", plan.session}, {"steps", steps}});
    return 0;
  }
  const bool is_terminal = ::isatty(STDOUT_FILENO) == 1;
  const bool waits = is_terminal && ::isatty(STDIN_FILENO) == 1;
  for (NodeIndex index : order) {
    // Make control characters visible, so that recorded output cannot control this terminal.
    std::cout << (is_terminal ? visible(told(tree, index)) : told(tree, index)) << std::flush;
    if (!waits || index == order.back()) continue;
    std::cerr << "[Enter: next, q: quit] " << std::flush;
    std::string line;
    if (!std::getline(std::cin, line) || line == "q") break;
  }
  return 0;
}

}  // namespace

void add_replay_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<ReplayArguments>();
  CLI::App* command = app.add_subcommand("replay", "Step through a run of explore");
  add_json_option(*command, arguments->json);
  command->add_option("RUN", arguments->run, "A run's directory")->type_name("DIR")->required();
  command->add_option("--node", arguments->node, "Show the path to this node (default: the best)")
      ->type_name("NUMBER");
  command->add_flag("-a,--all", arguments->all, "Show all nodes, in order of time");
  command->footer(
      "Shows the commands and their results; runs nothing. To enter a state, run\n"
      "`statefork fork SESSION NODE` with the ids from --json.\n"
      "Examples:\n"
      "  statefork replay runs/fix-it-r1k2j3h\n"
      "  statefork replay runs/fix-it-r1k2j3h --all | less");
  command->callback([arguments, &exit_code] {
    auto done = run_replay(*arguments);
    if (!done) print_failure(done.error(), arguments->json);
    exit_code = done ? *done : kFailed;
  });
}

}  // namespace sf::cli
