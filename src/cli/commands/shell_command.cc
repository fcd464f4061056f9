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

// "^]": Control and a key of the columns with the capital letters.
Result<char> control_key(const std::string& text) {
  bool fits = text.size() == 2 && text[0] == '^' && text[1] >= '@' && text[1] <= '_';
  if (!fits)
    return invalid("a detach key is written ^X, not '" + text + "'", "for example ^] or ^Q");
  return static_cast<char>(text[1] - '@');
}

Result<int> run_shell(const ShellArguments& arguments, const ApiClient& client) {
  SF_TRY_ASSIGN(char key, control_key(arguments.detach_key));
  const std::string& session = arguments.address.session;
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDOUT_FILENO) == 0)
    return invalid("`shell` needs a terminal",
                   "without one: statefork exec " + session + " -- COMMAND, or statefork keys");
  print_remark("attached to " + session + "/" + arguments.address.branch + "; " +
               arguments.detach_key + " detaches");
  SF_TRY_ASSIGN(LinkEnd end, link_terminal(client, arguments.address.branch_path(), key));
  std::string remark = end.why == LinkEnd::Why::kBranchEnded ? "the branch has ended"
                                                             : "detached; the session goes on";
  if (end.discarded > 0)
    remark += "; " + std::to_string(end.discarded) +
              " bytes that were typed were discarded here and not run on this host";
  print_remark(remark);
  return 0;
}

}  // namespace

void add_shell_command(CLI::App& app, int& exit_code) {
  auto [command, arguments] = add_daemon_command<ShellArguments>(
      app, exit_code, "shell", "Use a session's terminal as your own, until you detach", run_shell);
  add_session_argument(command, arguments.address);
  command.add_option("--detach-key", arguments.detach_key, "Leaves the session as it is")
      ->type_name("^X")
      ->capture_default_str();
  command.footer(
      "Several may look at one terminal. A restore by someone else shows at once.\n"
      "What you type or paste goes into the session or nowhere: if the link ends in the middle of\n"
      "a paste, the rest is discarded.\n"
      "Example: statefork shell work/b2");
}

}  // namespace sf::cli
