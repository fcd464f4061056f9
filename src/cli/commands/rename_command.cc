#include <nlohmann/json.hpp>

#include "cli/commands/command_frame.h"
#include "cli/commands/subcommands.h"

namespace sf::cli {
namespace {

struct RenameArguments : CommandFrame {
  SessionAddress address;
  std::vector<std::string> names;  // the node's old and new name, or the session's new name
};

Result<int> run_rename(const RenameArguments& arguments, ApiClient& client) {
  const std::string path = arguments.names.size() == 2
                               ? arguments.address.node_path(arguments.names.front())
                               : arguments.address.session_path();
  SF_TRY_ASSIGN(wire::Json renamed, client.patch(path, {{"name", arguments.names.back()}}));
  return print_answer(arguments, renamed, [](const auto&) { return std::string(); });
}

}  // namespace

void add_rename_command(CLI::App& app, int& exit_code) {
  auto [command, arguments] = add_daemon_command<RenameArguments>(
      app, exit_code, "rename", "Give a node, or the session itself, another name", run_rename);
  add_session_argument(command, arguments.address);
  command.add_option("NAME", arguments.names, "The node, and its new name; or the session's")
      ->option_text("[NODE] NAME")
      ->type_name("NODE")
      ->expected(1, 2)
      ->required();
  command.footer(
      "Examples:\n"
      "  statefork rename work n3 before-upgrade\n"
      "  statefork rename work old-work");
}

}  // namespace sf::cli
