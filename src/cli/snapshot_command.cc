#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command_frame.h"
#include "cli/session_address.h"
#include "cli/session_commands.h"

namespace sf::cli {
namespace {

struct SnapshotArguments : CommandFrame {
  std::string session;
  std::string name;
  bool physical = false;
  bool is_virtual = false;
  std::vector<std::string> notes;
};

Result<int> run(const SnapshotArguments& arguments, ApiClient& client) {
  SF_TRY_ASSIGN(SessionAddress address, parse_address(arguments.session));
  wire::Json request = wire::Json::object();
  if (!arguments.name.empty()) request["name"] = arguments.name;
  if (arguments.physical) request["materialization"] = "physical";
  if (arguments.is_virtual) request["materialization"] = "virtual";
  SF_TRY_ASSIGN(auto notes, parse_pairs(arguments.notes, "--note"));
  if (!notes.empty()) request["notes"] = notes;
  SF_TRY_ASSIGN(wire::Json report, client.post(address.branch_path() + "/snapshot", request));
  if (arguments.json) {
    print_json(report);
    return 0;
  }
  std::cout << report.value("node", "") << '\n';
  if (report.contains("fallback") && report["fallback"].is_object())
    std::cerr << "statefork: kept as commands to replay: " << report["fallback"].value("detail", "")
              << '\n';
  return 0;
}

}  // namespace

void add_snapshot_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<SnapshotArguments>();
  CLI::App* command =
      app.add_subcommand("snapshot", "Name this point of a session; prints the node's id");
  command->add_option("session", arguments->session, "Id or name, or SESSION/BRANCH")
      ->type_name("S")
      ->required();
  command->add_option("--name", arguments->name, "A name to call the node by");
  CLI::Option* physical =
      command->add_flag("--physical", arguments->physical, "Keep the whole state");
  command->add_flag("--virtual", arguments->is_virtual, "Keep the commands only")
      ->excludes(physical);
  command->add_option("--note", arguments->notes, "Kept with the node, for you")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  add_json_option(*command, arguments->json);
  add_place_options(*command, arguments->place);
  command->footer("Example: statefork snapshot work --name before-upgrade");
  command->callback([arguments, &exit_code] {
    exit_code = with_daemon(*arguments, [&](ApiClient& client) { return run(*arguments, client); });
  });
}

}  // namespace sf::cli
