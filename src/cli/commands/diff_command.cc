#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "cli/commands/command_frame.h"
#include "cli/commands/subcommands.h"
#include "cli/render/diff_text.h"

namespace sf::cli {
namespace {

struct DiffArguments : CommandFrame {
  SessionAddress address;
  std::string from;
  std::string to;
  bool stat = false;
  bool name_only = false;
};

Colours colours_here() {
  const char* refused = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool wanted = (refused == nullptr || *refused == '\0') && terminal != nullptr &&
                      std::string_view(terminal) != "dumb";
  if (::isatty(STDOUT_FILENO) != 1) return Colours::kOff;
  return wanted ? Colours::kOn : Colours::kNone;
}

Result<int> run_diff(const DiffArguments& arguments, ApiClient& client) {
  SF_TRY_ASSIGN(wire::Json diff, client.get(arguments.address.session_path() + "/diff" +
                                            query({{"from", arguments.from},
                                                   {"to", arguments.to},
                                                   {"branch", arguments.address.branch}})));
  if (diff.value("truncated", false)) print_remark("the list is cut: there are more differences");
  print_doubts(diff);
  return print_answer(arguments, diff, [&](const wire::Json& found) {
    const DiffDetail detail = arguments.name_only ? DiffDetail::kFileNames
                              : arguments.stat    ? DiffDetail::kStat
                                                  : DiffDetail::kPatches;
    return diff_text(found, detail, colours_here());
  });
}

}  // namespace

void add_diff_command(CLI::App& app, int& exit_code) {
  auto [command, arguments] = add_daemon_command<DiffArguments>(
      app, exit_code, "diff",
      "Show what changed: files, processes, listening ports, environment, directory", run_diff);
  add_session_argument(command, arguments.address);
  add_node_argument(command, "A", arguments.from, "The node before (default: HEAD)");
  add_node_argument(command, "B", arguments.to, "The node after (default: the branch's state)");
  CLI::Option* stat = command.add_flag("--stat", arguments.stat,
                                       "Show the number of changed lines instead of patches");
  command.add_flag("--name-only", arguments.name_only, "Show only the paths of files")
      ->excludes(stat);
  command.footer(
      "+ added, - removed, ~ changed. Colours only on a terminal and if NO_COLOR is not set.\n"
      "Examples:\n"
      "  statefork diff work                  since the last snapshot\n"
      "  statefork diff work n1 n4 --stat\n"
      "  statefork diff work n1 n4 | patch -p1 -d copy    the same changes to files elsewhere");
}

}  // namespace sf::cli
