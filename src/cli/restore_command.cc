#include <nlohmann/json.hpp>

#include "cli/command_frame.h"
#include "cli/session_commands.h"
#include "cli/text_layout.h"

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
    for (const wire::Json& one : told.value("accepted", wire::Json::array()))
      print_remark("diverged: " + one_line(one.value("state", "").empty()
                                               ? one.value("command", "")
                                               : one.value("state", "")));
    if (const std::string why = told.value("unproven", ""); !why.empty())
      print_remark("replayed, and only the outputs were compared: " + why);
    return std::string();
  });
}

}  // namespace

void add_restore_command(CLI::App& app, int& exit_code) {
  auto [command, arguments] = add_daemon_command<RestoreArguments>(
      app, exit_code, "restore", "Bring a branch back to a node", run_restore);
  add_session_argument(command, arguments.address);
  add_node_argument(command, "NODE", arguments.node)->required();
  command.add_flag("--accept-divergence", arguments.accept,
                   "Go on when a replayed command does something else than the first time");
  command.footer("Example: statefork restore work before-upgrade");
}

}  // namespace sf::cli
