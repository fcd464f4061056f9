// statefork-full: the whole command line. `statefork` executes this program for commands that need
// more than the daemon, and for help about all commands.
#include <string_view>

#include "cli/commands/command_line.h"
#include "cli/commands/subcommands.h"
#include "cli_full/full_commands.h"

namespace {

constexpr sf::cli::NamedCommand kCommands[] = {
    {"new", sf::cli::add_new_command},       {"explore", sf::cli::add_explore_command},
    {"apply", sf::cli::add_apply_command},   {"replay", sf::cli::add_replay_command},
    {"doctor", sf::cli::add_doctor_command}, {"root", sf::cli::add_root_command},
    {"mcp", sf::cli::add_mcp_command},       {"completion", sf::cli::add_completion_command},
    {"man", sf::cli::add_man_command},
};

}  // namespace

int main(int argc, char** argv) {
  sf::cli::CommandLine line(argc, argv, kCommands);
  if (argc > 1 && std::string_view(argv[1]) == "__complete") {
    sf::cli::print_completions(line.app(), {argv + 2, argv + argc});
    return 0;
  }
  return line.run();
}
