#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <memory>
#include <string>

#include "cli/commands/command_frame.h"
#include "cli/commands/subcommands.h"
#include "mcp/mcp_server.h"
#include "os/error.h"
#include "os/fd.h"

namespace sf::cli {
namespace {

// Reserves standard output for the protocol: redirects descriptor 1 to standard error.
Result<os::UniqueFd> take_standard_output() {
  os::UniqueFd output(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  if (!output.valid()) return os::last_error("taking standard output");
  if (::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return os::last_error("redirecting output");
  return output;
}

Status serve(const DaemonLocation& location, const std::string& version) {
  if (::isatty(STDIN_FILENO) == 1)
    print_remark("waiting for a client's messages on standard input; see `statefork mcp --help`");
  std::signal(SIGPIPE, SIG_IGN);  // a write to a closed pipe fails instead of ending the process
  SF_TRY_ASSIGN(os::UniqueFd output, take_standard_output());
  mcp::Server server(location, STDIN_FILENO, output.get(), version);
  auto end = server.run();
  if (!end) print_error(end.error());
  // The daemon finishes the running commands.
  if (!end || *end == mcp::Server::End::kAbandoned) std::_Exit(end ? 0 : kFailed);
  return Ok{};
}

// "statefork 0.1.0" -> "0.1.0"
std::string version_of(const CLI::App& app) {
  std::string text = app.version();
  std::size_t space = text.rfind(' ');
  return space == std::string::npos ? text : text.substr(space + 1);
}

}  // namespace

void add_mcp_command(CLI::App& app, int& exit_code) {
  auto location = std::make_shared<DaemonLocation>();
  CLI::App* command = app.add_subcommand(
      "mcp", "Serve agents: a Model Context Protocol server on standard input and output");
  add_location_options(*command, *location);
  command->footer(
      "A client starts this program, with a configuration like this:\n"
      "  {\"mcpServers\": {\"statefork\": {\"command\": \"statefork\", \"args\": [\"mcp\"]}}}\n"
      "Tools: session_create session_list session_destroy tree diff cleanup exec_command snapshot\n"
      "restore fork read_file write_file. Sessions keep running when it ends.");
  command->callback([location, version = version_of(app), &exit_code] {
    Status served = serve(*location, version);
    if (!served) print_error(served.error());
    exit_code = served ? 0 : kFailed;
  });
}

}  // namespace sf::cli
