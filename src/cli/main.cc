// statefork: the command line. Each subcommand stands in a file of its own and adds itself here.
#include <CLI/CLI.hpp>
#include <iostream>

#include "cli/doctor_command.h"

namespace {

constexpr const char* kOverview =
    "StateFork gives an agent a terminal that can go back in time: a session's files, shell and\n"
    "running processes are checkpointed together, restored exactly, and forked into branches.\n";

constexpr const char* kNextStep =
    "Next step: `statefork doctor` shows whether this machine has what sessions need.\n"
    "All commands: `statefork --help`.\n";

constexpr int kUsageError = 2;

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{kOverview, "statefork"};
  app.set_version_flag("--version", "statefork " SF_VERSION);
  int exit_code = 0;
  sf::cli::add_doctor_command(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {  // --help and --version come this way too
    return app.exit(error) == 0 ? 0 : kUsageError;
  }
  if (app.get_subcommands().empty()) std::cout << kOverview << '\n' << kNextStep;
  return exit_code;
}
