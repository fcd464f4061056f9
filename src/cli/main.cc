// statefork: the command line. Each subcommand stands in a file of its own and adds itself here.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <iostream>
#include <string_view>

#include "cli/completion_command.h"
#include "cli/doctor_command.h"
#include "cli/help_format.h"
#include "cli/session_commands.h"

namespace {

constexpr const char* kOverview =
    "StateFork gives an agent a terminal that can go back in time: a session's files, shell and\n"
    "running processes are checkpointed together, restored exactly, and forked into branches.\n";

constexpr const char* kConventions =
    "S is a session's id or name, S/BRANCH one of its branches (default: main). NODE is an id, a\n"
    "name, HEAD or HEAD~2. `statefork COMMAND --help` has the options and examples.";

constexpr const char* kNextStep =
    "Next step: `statefork doctor` shows whether this machine has what sessions need. Then:\n"
    "  s=$(statefork new)\n"
    "  statefork exec $s -- 'cd /tmp; echo hello >file'\n"
    "  statefork snapshot $s --name good\n"
    "  statefork exec $s -- rm file\n"
    "  statefork restore $s good\n"
    "All commands: `statefork --help`.\n";

constexpr int kUsageError = 2;
constexpr int kOurFailure = 125;  // must not look like the exit status of what exec or run started

// "`a`, `b` and `c`"
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 < names.size() ? ", " : " and ";
    text += "`" + names[i] + "`";
  }
  return text;
}

// In the form of all our failures.
std::string describe_failure(const CLI::App* app, const CLI::Error& error) {
  std::string message = error.what();
  std::string command = app->get_name();
  for (const CLI::App* sub : app->get_subcommands()) command += " " + sub->get_name();
  if (app->get_subcommands().empty() && !app->remaining().empty())
    message = "there is no command '" + app->remaining().front() + "'";
  return "statefork: " + message + "\n  hint: `" + command + " --help`\n";
}

// `takers` gets the names of the commands that take `words`, which follow `--`.
void add_commands(CLI::App& app, const std::vector<std::string>& words,
                  std::vector<std::string>& takers, int& exit_code) {
  using namespace sf::cli;
  using Adder = std::function<void(CLI::App&, int&)>;
  auto add_group = [&](const char* title, const std::vector<Adder>& adders) {
    for (const Adder& add : adders) {
      add(app, exit_code);
      app.get_subcommands({}).back()->group(title);
    }
  };
  auto with_words = [&](auto add) -> Adder {
    return [add, &words, &takers](CLI::App& to, int& code) {
      add(to, words, code);
      takers.push_back(to.get_subcommands({}).back()->get_name());
    };
  };
  add_group("Sessions", {add_new_command, with_words(add_exec_command), with_words(add_run_command),
                         add_ls_command, add_stats_command, add_rm_command});
  add_group("Branching", {add_snapshot_command, add_restore_command, add_fork_command,
                          add_tree_command, add_diff_command, add_log_command, add_show_command,
                          add_note_command, add_rename_command, add_cleanup_command});
  add_group("Files and terminal", {add_shell_command, add_cp_command, with_words(add_keys_command),
                                   add_mouse_command, add_screen_command});
  add_group("Exploration", {add_explore_command, add_apply_command, add_replay_command});
  add_group("Host", {add_doctor_command, add_root_command, add_serve_command, add_mcp_command,
                     add_gc_command, add_completion_command, add_man_command});
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{kOverview, "statefork"};
  app.formatter(std::make_shared<sf::cli::HelpFormatter>());
  app.set_version_flag("--version", "statefork " SF_VERSION);
  app.footer(kConventions);
  app.require_subcommand(0, 1);  // a session or node may be called like a command
  app.failure_message(describe_failure);

  // What follows `--` is nobody's option: the parser would take some words apart ("[a,b]").
  char** mark = std::find(argv, argv + argc, std::string_view("--"));
  std::vector<std::string> words;
  if (mark != argv + argc) words.assign(mark + 1, argv + argc);
  int exit_code = 0;
  std::vector<std::string> takers;
  add_commands(app, words, takers, exit_code);

  const std::string_view command = argc > 1 ? argv[1] : "";
  if (command == "__complete") {
    sf::cli::print_completions(app, {argv + 2, argv + argc});
    return 0;
  }
  if (mark != argv + argc && std::ranges::find(takers, command) == takers.end()) {
    std::cerr << "statefork: only " << listed(takers) << " take words after --\n";
    return kUsageError;
  }
  const int usage_error = command == "exec" || command == "run" ? kOurFailure : kUsageError;
  try {
    app.parse(static_cast<int>(mark - argv), argv);
    if (app.get_subcommands().empty()) std::cout << kOverview << '\n' << kNextStep;
  } catch (const CLI::ParseError& error) {  // --help and --version come this way too
    exit_code = app.exit(error) == 0 ? 0 : usage_error;
  }
  if (std::cout.flush() || exit_code != 0) return exit_code;
  std::cerr << "statefork: standard output cannot be written\n";
  return usage_error == kOurFailure ? kOurFailure : 1;
}
