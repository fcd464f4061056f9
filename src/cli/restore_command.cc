#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command_frame.h"
#include "cli/session_address.h"
#include "cli/session_commands.h"

namespace sf::cli {
namespace {

struct RestoreArguments : CommandFrame {
  std::string session;
  std::string node;
  bool accept = false;
};

Result<int> run(const RestoreArguments& arguments, ApiClient& client) {
  SF_TRY_ASSIGN(SessionAddress address, parse_address(arguments.session));
  wire::Json request = {{"node", arguments.node}};
  if (arguments.accept) request["on_divergence"] = "accept";
  SF_TRY_ASSIGN(wire::Json report, client.post(address.branch_path() + "/restore", request));
  if (arguments.json) print_json(report);
  if (!arguments.json && report.contains("accepted")) {
    for (const wire::Json& one : report["accepted"])
      std::cerr << "statefork: diverged: " << one.value("command", "") << '\n';
  }
  return 0;
}

}  // namespace

void add_restore_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<RestoreArguments>();
  CLI::App* command = app.add_subcommand("restore", "Bring a branch back to a node");
  command->add_option("session", arguments->session, "Id or name, or SESSION/BRANCH")
      ->type_name("S")
      ->required();
  command->add_option("node", arguments->node, "Id, name, HEAD or HEAD~2")
      ->type_name("NODE")
      ->required();
  command->add_flag("--accept-divergence", arguments->accept,
                    "Go on when a replayed command does something else than the first time");
  add_json_option(*command, arguments->json);
  add_place_options(*command, arguments->place);
  command->footer("Example: statefork restore work before-upgrade");
  command->callback([arguments, &exit_code] {
    exit_code = with_daemon(*arguments, [&](ApiClient& client) { return run(*arguments, client); });
  });
}

}  // namespace sf::cli
