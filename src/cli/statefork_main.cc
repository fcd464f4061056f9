// statefork: the command line. This program has the commands that need only the daemon, and so
// needs few libraries. For all other commands it executes `statefork-full`.
#include <algorithm>
#include <string_view>

#include "cli/commands/command_frame.h"
#include "cli/commands/command_line.h"
#include "cli/daemon/program_search.h"

int main(int argc, char** argv) {
  using namespace sf::cli;
  if (argc > 1 && is_client_command(argv[1])) return CommandLine(argc, argv, {}).run();
  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  const bool as_json = std::ranges::find(arguments, "--json") != arguments.end();
  print_failure(become_program(kFullProgram, arguments), as_json);
  return kFailed;
}
