#include <nlohmann/json.hpp>

#include "cli/commands/command_frame.h"
#include "cli/commands/subcommands.h"
#include "cli/render/command_log_text.h"

namespace sf::cli {
namespace {

struct LogArguments : CommandFrame {
  SessionAddress address;
  std::uint64_t count = 0;
};

Result<int> run_log(const LogArguments& arguments, ApiClient& client) {
  SF_TRY_ASSIGN(wire::Json tree, client.get(arguments.address.session_path() + "/tree"));
  bool found = false;
  for (const wire::Json& branch : tree.at("branches"))
    found = found || branch.value("id", "") == arguments.address.branch;
  if (!found)
    return fail(ErrorCode::kNotFound, "no such branch: " + arguments.address.branch,
                "`statefork tree " + arguments.address.session + "` shows them");
  wire::Json entries = branch_log(tree, arguments.address.branch);
  if (arguments.count != 0 && entries.size() > arguments.count)
    entries.erase(entries.begin(), entries.end() - static_cast<std::ptrdiff_t>(arguments.count));
  wire::Json answer = {{"branch", arguments.address.branch}, {"entries", std::move(entries)}};
  return print_answer(arguments, answer, [](const wire::Json& told) {
    return told["entries"].empty() ? std::string() : command_log_text(told["entries"]);
  });
}

}  // namespace

void add_log_command(CLI::App& app, int& exit_code) {
  auto [command, arguments] = add_daemon_command<LogArguments>(
      app, exit_code, "log", "List the commands that led to a branch's state", run_log);
  add_session_argument(command, arguments.address);
  command.add_option("-n,--count", arguments.count, "Show only the last K commands (default: all)")
      ->type_name("K");
  command.footer(
      "NODE is the first snapshot after the command, - if there is none yet. EXIT is ? if the\n"
      "command's end was not observed.\n"
      "Example: statefork log work/b1 -n 20");
}

}  // namespace sf::cli
