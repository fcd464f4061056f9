#include <nlohmann/json.hpp>

#include "cli/commands/command_frame.h"
#include "cli/commands/subcommands.h"

namespace sf::cli {
namespace {

struct RmArguments : CommandFrame {
  std::vector<std::string> sessions;
};

Result<wire::Json> remove_one(const std::string& text, ApiClient& client) {
  SF_TRY_ASSIGN(SessionAddress address, parse_address(text));
  return client.remove(address.names_branch ? address.branch_path() : address.session_path());
}

Result<int> run_rm(const RmArguments& arguments, ApiClient& client) {
  int exit_code = 0;
  wire::Json reports = wire::Json::array();
  for (const std::string& text : arguments.sessions) {
    Result<wire::Json> report = remove_one(text, client);
    if (report) {
      reports.push_back(*report);
      continue;
    }
    print_error(report.error());
    exit_code = kFailed;
  }
  if (arguments.json) print_json(reports);
  return exit_code;
}

}  // namespace

void add_rm_command(CLI::App& app, int& exit_code) {
  auto [command, arguments] = add_daemon_command<RmArguments>(
      app, exit_code, "rm", "End sessions with all their nodes, or single branches", run_rm);
  command.add_option("S", arguments.sessions, "Ids or names, or S/BRANCH")
      ->type_name("S")
      ->required();
  command.footer(
      "Examples:\n"
      "  statefork rm work          the session, its branches and all its nodes\n"
      "  statefork rm work/b1       one live branch; the nodes stay");
}

}  // namespace sf::cli
