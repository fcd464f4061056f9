#include <unistd.h>

#include <memory>

#include "cli/command_frame.h"
#include "cli/session_commands.h"
#include "os/error.h"

namespace sf::cli {
namespace {

// Becomes the daemon; returns only when that fails.
Error become_daemon(const DaemonPlace& place) {
  auto program = daemon_program();
  if (!program) return std::move(program).error();
  const char* argv[] = {program->c_str(),        "--socket", place.socket_path.c_str(), "--state",
                        place.state_dir.c_str(), nullptr};
  ::execv(program->c_str(), const_cast<char* const*>(argv));  // NOLINT: execv's own signature
  return os::last_error("starting " + *program);
}

}  // namespace

void add_serve_command(CLI::App& app, int& exit_code) {
  auto place = std::make_shared<DaemonPlace>();
  CLI::App* command =
      app.add_subcommand("serve", "Run the daemon here, in the foreground, until SIGTERM");
  add_place_options(*command, *place);
  command->footer(
      "Not needed as a rule: the first command that finds no daemon starts one.\n"
      "Sessions live on when the daemon ends, and the next one finds them.");
  command->callback([place, &exit_code] {
    print_error(become_daemon(*place));
    exit_code = kFailed;
  });
}

}  // namespace sf::cli
