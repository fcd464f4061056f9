#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/commands/command_frame.h"
#include "cli/commands/subcommands.h"
#include "wire/problem.h"

namespace sf::cli {
namespace {

struct ForkArguments : CommandFrame {
  SessionAddress address;
  std::string node;
  std::uint64_t count = 0;
  std::vector<std::string> names;
  bool accept = false;
};

Result<int> run_fork(const ForkArguments& arguments, ApiClient& client) {
  wire::Json request = wire::Json::object();
  if (!arguments.node.empty()) request["node"] = arguments.node;
  if (arguments.count != 0) request["count"] = arguments.count;
  if (!arguments.names.empty()) request["names"] = arguments.names;
  if (arguments.accept) request["on_divergence"] = "accept";
  SF_TRY_ASSIGN(wire::Json report, client.post(arguments.address.branch_path() + "/fork", request));
  if (arguments.json) print_json(report);
  int exit_code = 0;
  for (const wire::Json& one : report["branches"]) {
    if (one.contains("error")) {
      exit_code = kFailed;
      print_error(wire::error_from_problem(0, one["error"].dump()));
    } else if (!arguments.json) {
      std::cout << arguments.address.session << '/' << one.value("branch", "") << '\n';
    }
    if (!arguments.json) print_doubts(one);
  }
  print_doubts(report);
  return exit_code;
}

}  // namespace

void add_fork_command(CLI::App& app, int& exit_code) {
  auto [command, arguments] = add_daemon_command<ForkArguments>(
      app, exit_code, "fork", "Make live branches from a node; print each as S/BRANCH", run_fork);
  add_session_argument(command, arguments.address);
  add_node_argument(command, "NODE", arguments.node, "Id, name, HEAD (the default) or HEAD~2");
  command.add_option("-n,--count", arguments.count, "Make this many branches (default: 1)")
      ->type_name("K");
  command.add_option("--name", arguments.names, "A branch's name; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false);
  add_accept_flag(command, arguments.accept);
  command.footer(
      "The forks do not have the branch's changes since its last snapshot.\n"
      "Examples:\n"
      "  statefork fork work before-upgrade -n 4\n"
      "  for b in $(statefork fork work -n 2); do statefork exec $b -- make test; done");
}

}  // namespace sf::cli
