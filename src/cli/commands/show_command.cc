#include <nlohmann/json.hpp>

#include "cli/commands/command_frame.h"
#include "cli/commands/subcommands.h"
#include "cli/render/command_log_text.h"
#include "cli/render/text_layout.h"

namespace sf::cli {
namespace {

struct ShowArguments : CommandFrame {
  SessionAddress address;
  std::string node = "HEAD";
};

std::string node_text(const wire::Json& node) {
  wire::Json facts = node;
  facts.erase("log");
  std::string text = facts_text(facts);
  wire::Json entries = node.value("log", wire::Json::array());
  if (!entries.empty()) text += "\n" + command_log_text(entries);
  return text;
}

Result<int> run_show(const ShowArguments& arguments, ApiClient& client) {
  SF_TRY_ASSIGN(wire::Json node, client.get(arguments.address.node_path(arguments.node)));
  return print_answer(arguments, node, node_text);
}

}  // namespace

void add_show_command(CLI::App& app, int& exit_code) {
  auto [command, arguments] = add_daemon_command<ShowArguments>(
      app, exit_code, "show", "Show a node's properties, notes and commands", run_show);
  add_session_argument(command, arguments.address);
  add_node_argument(command, "NODE", arguments.node, "Id, name, HEAD (the default) or HEAD~2");
  command.footer("Example: statefork show work HEAD~1");
}

}  // namespace sf::cli
