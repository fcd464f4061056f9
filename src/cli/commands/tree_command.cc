#include <nlohmann/json.hpp>

#include "cli/commands/command_frame.h"
#include "cli/commands/subcommands.h"
#include "cli/render/tree_drawing.h"

namespace sf::cli {
namespace {

struct TreeArguments : CommandFrame {
  SessionAddress address;
};

Result<int> run_tree(const TreeArguments& arguments, ApiClient& client) {
  SF_TRY_ASSIGN(wire::Json tree, client.get(arguments.address.session_path() + "/tree"));
  return print_answer(arguments, tree, draw_tree);
}

}  // namespace

void add_tree_command(CLI::App& app, int& exit_code) {
  auto [command, arguments] = add_daemon_command<TreeArguments>(
      app, exit_code, "tree", "Draw a session's nodes and branches", run_tree);
  add_session_argument(command, arguments.address, "Id or name");
  command.footer(
      "A line has the node's id, name, kind, size, the time its snapshot took, and the commands\n"
      "that led to it. `<- main +2`: main is at this node and has run two more commands.\n"
      "Example: statefork tree work");
}

}  // namespace sf::cli
