#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command_frame.h"
#include "cli/session_address.h"
#include "cli/session_commands.h"
#include "wire/problem.h"

namespace sf::cli {
namespace {

struct ForkArguments : CommandFrame {
  std::string session;
  std::string node;
  std::uint64_t count = 0;
  std::vector<std::string> names;
};

Result<int> run(const ForkArguments& arguments, ApiClient& client) {
  SF_TRY_ASSIGN(SessionAddress address, parse_address(arguments.session));
  wire::Json request = wire::Json::object();
  if (!arguments.node.empty()) request["node"] = arguments.node;
  if (arguments.count != 0) request["count"] = arguments.count;
  if (!arguments.names.empty()) request["names"] = arguments.names;
  SF_TRY_ASSIGN(wire::Json report, client.post(address.branch_path() + "/fork", request));
  if (arguments.json) print_json(report);
  int exit_code = 0;
  for (const wire::Json& one : report["branches"]) {
    if (one.contains("error")) {
      exit_code = kFailed;
      print_error(wire::error_from_problem(0, one["error"].dump()));
    } else if (!arguments.json) {
      std::cout << address.session << '/' << one.value("branch", "") << '\n';
    }
  }
  return exit_code;
}

}  // namespace

void add_fork_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<ForkArguments>();
  CLI::App* command = app.add_subcommand(
      "fork", "Make live branches at a node; prints them as SESSION/BRANCH, one a line");
  command->add_option("session", arguments->session, "Id or name, or SESSION/BRANCH")
      ->type_name("S")
      ->required();
  command->add_option("node", arguments->node, "Id, name, HEAD (the default) or HEAD~2")
      ->type_name("NODE");
  command->add_option("-n,--count", arguments->count, "How many (default: 1)");
  command->add_option("--name", arguments->names, "A branch's name; may be repeated")
      ->allow_extra_args(false);
  add_json_option(*command, arguments->json);
  add_place_options(*command, arguments->place);
  command->footer(
      "What the branch did since its last snapshot is not in the forks.\n"
      "Example: statefork fork work before-upgrade -n 4");
  command->callback([arguments, &exit_code] {
    exit_code = with_daemon(*arguments, [&](ApiClient& client) { return run(*arguments, client); });
  });
}

}  // namespace sf::cli
