#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command_frame.h"
#include "cli/session_address.h"
#include "cli/session_commands.h"
#include "cli/tree_drawing.h"

namespace sf::cli {
namespace {

struct TreeArguments : CommandFrame {
  std::string session;
};

Result<int> run(const TreeArguments& arguments, ApiClient& client) {
  SF_TRY_ASSIGN(SessionAddress address, parse_address(arguments.session));
  SF_TRY_ASSIGN(wire::Json tree, client.get(address.session_path() + "/tree"));
  if (arguments.json) {
    print_json(tree);
  } else {
    std::cout << draw_tree(tree);
  }
  return 0;
}

}  // namespace

void add_tree_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<TreeArguments>();
  CLI::App* command =
      app.add_subcommand("tree", "Draw a session's nodes and where its branches are");
  command->add_option("session", arguments->session, "Id or name")->type_name("S")->required();
  add_json_option(*command, arguments->json);
  add_place_options(*command, arguments->place);
  command->callback([arguments, &exit_code] {
    exit_code = with_daemon(*arguments, [&](ApiClient& client) { return run(*arguments, client); });
  });
}

}  // namespace sf::cli
