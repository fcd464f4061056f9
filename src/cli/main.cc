// statefork: the command line. Each subcommand stands in a file of its own and adds itself here.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <string_view>

#include "cli/doctor_command.h"
#include "cli/session_commands.h"

namespace {

constexpr const char* kOverview =
    "StateFork gives an agent a terminal that can go back in time: a session's files, shell and\n"
    "running processes are checkpointed together, restored exactly, and forked into branches.\n";

constexpr const char* kNextStep =
    "Next step: `statefork doctor` shows whether this machine has what sessions need. Then:\n"
    "  s=$(statefork new)\n"
    "  statefork exec $s -- 'cd /tmp; echo hello >file'\n"
    "  statefork snapshot $s --name good\n"
    "  statefork exec $s -- rm file\n"
    "  statefork restore $s good\n"
    "All commands: `statefork --help`.\n";

constexpr int kUsageError = 2;
constexpr int kExecFailed = 125;  // a wrong `exec` must not look like a command's exit status

}  // namespace

int main(int argc, char** argv) {
  // What follows `--` is nobody's option: the parser would take some words apart ("[a,b]").
  char** mark = std::find(argv, argv + argc, std::string_view("--"));
  std::vector<std::string> words;
  if (mark != argv + argc) words.assign(mark + 1, argv + argc);

  CLI::App app{kOverview, "statefork"};
  app.set_version_flag("--version", "statefork " SF_VERSION);
  int exit_code = 0;
  sf::cli::add_new_command(app, exit_code);
  sf::cli::add_exec_command(app, words, exit_code);
  sf::cli::add_snapshot_command(app, exit_code);
  sf::cli::add_restore_command(app, exit_code);
  sf::cli::add_fork_command(app, exit_code);
  sf::cli::add_tree_command(app, exit_code);
  sf::cli::add_ls_command(app, exit_code);
  sf::cli::add_rm_command(app, exit_code);
  sf::cli::add_serve_command(app, exit_code);
  sf::cli::add_doctor_command(app, exit_code);
  const bool is_exec = argc > 1 && std::string_view(argv[1]) == "exec";
  if (mark != argv + argc && !is_exec) {
    std::cerr << "statefork: only `exec` takes words after --\n";
    return kUsageError;
  }
  try {
    app.parse(static_cast<int>(mark - argv), argv);
  } catch (const CLI::ParseError& error) {  // --help and --version come this way too
    if (app.exit(error) == 0) return 0;
    return is_exec ? kExecFailed : kUsageError;
  }
  if (app.get_subcommands().empty()) std::cout << kOverview << '\n' << kNextStep;
  return exit_code;
}
