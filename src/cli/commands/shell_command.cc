#include <unistd.h>

#include <nlohmann/json.hpp>

#include "cli/commands/command_frame.h"
#include "cli/commands/subcommands.h"
#include "cli/daemon/terminal_link.h"

namespace sf::cli {
namespace {

struct ShellArguments : CommandFrame {
  SessionAddress address;
  std::string detach_key = "^]";
};

// Parses "^X": Control and a character from @ to _.
Result<char> control_key(const std::string& text) {
  bool fits = text.size() == 2 && text[0] == '^' && text[1] >= '@' && text[1] <= '_';
  if (!fits) return invalid("'" + text + "' is not a detach key", "write ^X, for example ^] or ^Q");
  return static_cast<char>(text[1] - '@');
}

Result<int> run_shell(const ShellArguments& arguments, const ApiClient& client) {
  SF_TRY_ASSIGN(char key, control_key(arguments.detach_key));
  const std::string& session = arguments.address.session;
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDOUT_FILENO) == 0)
    return invalid("`shell` needs a terminal",
                   "without one: statefork exec " + session + " -- COMMAND or statefork keys");
  print_remark("attached to " + session + "/" + arguments.address.branch + "; " +
               arguments.detach_key + " detaches");
  SF_TRY_ASSIGN(LinkEnd end, link_terminal(client, arguments.address.branch_path(), key));
  std::string remark = end.why == LinkEnd::Why::kBranchEnded ? "the branch has ended"
                                                             : "detached; the session runs on";
  if (end.discarded > 0)
    remark += "; " + std::to_string(end.discarded) +
              " typed bytes were discarded; this host's shell did not get them";
  print_remark(remark);
  return 0;
}

}  // namespace

void add_shell_command(CLI::App& app, int& exit_code) {
  auto [command, arguments] = add_daemon_command<ShellArguments>(
      app, exit_code, "shell", "Use a session's terminal as your own, until you detach", run_shell);
  add_session_argument(command, arguments.address);
  command.add_option("--detach-key", arguments.detach_key, "Detach without ending the session")
      ->type_name("^X")
      ->capture_default_str();
  command.footer(
      "Several clients may attach to one terminal. They see a restore immediately.\n"
      "Typed and pasted text goes only to the session: if the connection ends within a\n"
      "paste, the rest is discarded.\n"
      "Example: statefork shell work/b2");
}

}  // namespace sf::cli
