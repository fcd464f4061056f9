#include <nlohmann/json.hpp>

#include "cli/commands/command_frame.h"
#include "cli/commands/subcommands.h"

namespace sf::cli {
namespace {

struct RestoreArguments : CommandFrame {
  SessionAddress address;
  std::string node;
  bool accept = false;
};

Result<int> run_restore(const RestoreArguments& arguments, ApiClient& client) {
  wire::Json request = {{"node", arguments.node}};
  if (arguments.accept) request["on_divergence"] = "accept";
  SF_TRY_ASSIGN(wire::Json report,
                client.post(arguments.address.branch_path() + "/restore", request));
  return print_answer(arguments, report, [](const wire::Json& told) {
    print_doubts(told);
    return std::string();
  });
}

}  // namespace

void add_restore_command(CLI::App& app, int& exit_code) {
  auto [command, arguments] = add_daemon_command<RestoreArguments>(
      app, exit_code, "restore", "Put a branch back to a node", run_restore);
  add_session_argument(command, arguments.address);
  add_node_argument(command, "NODE", arguments.node)->required();
  add_accept_flag(command, arguments.accept);
  command.footer("Example: statefork restore work before-upgrade");
}

}  // namespace sf::cli
