#include <nlohmann/json.hpp>

#include "cli/commands/command_frame.h"
#include "cli/commands/subcommands.h"

namespace sf::cli {
namespace {

struct SnapshotArguments : CommandFrame {
  SessionAddress address;
  std::string name;
  bool physical = false;
  bool is_virtual = false;
  std::vector<std::string> notes;
};

Result<int> run_snapshot(const SnapshotArguments& arguments, ApiClient& client) {
  wire::Json request = wire::Json::object();
  if (!arguments.name.empty()) request["name"] = arguments.name;
  if (arguments.physical) request["materialization"] = "physical";
  if (arguments.is_virtual) request["materialization"] = "virtual";
  SF_TRY_ASSIGN(auto notes, parse_pairs(arguments.notes, "--note"));
  if (!notes.empty()) request["notes"] = notes;
  SF_TRY_ASSIGN(wire::Json report,
                client.post(arguments.address.branch_path() + "/snapshot", request));
  return print_answer(arguments, report, [](const wire::Json& told) {
    if (told.contains("fallback") && told["fallback"].is_object())
      print_remark("saved as a virtual node: " + told["fallback"].value("detail", ""));
    return told.value("node", "") + "\n";
  });
}

}  // namespace

void add_snapshot_command(CLI::App& app, int& exit_code) {
  auto [command, arguments] = add_daemon_command<SnapshotArguments>(
      app, exit_code, "snapshot", "Save a branch's state as a node; print the node's id",
      run_snapshot);
  add_session_argument(command, arguments.address);
  command.add_option("--name", arguments.name, "Name the node")->type_name("REF");
  CLI::Option* physical = command.add_flag("--physical", arguments.physical,
                                           "Save the state itself (default: the policy decides)");
  command.add_flag("--virtual", arguments.is_virtual, "Save only the commands")->excludes(physical);
  command.add_option("--note", arguments.notes, "Add a note to the node; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command.footer("Example: statefork snapshot work --name before-upgrade");
}

}  // namespace sf::cli
