#include "cli/commands/command_line.h"

#include <algorithm>
#include <iostream>

#include "cli/commands/subcommands.h"
#include "cli/render/help_format.h"

namespace sf::cli {
namespace {

constexpr const char* kOverview =
    "StateFork runs terminals that you can snapshot, restore and fork.\n\n"
    "A session is a tree of nodes with its live branches.\n"
    "A node is a saved state: files, shell, running processes and screen. `snapshot` makes one.\n"
    "A branch is a live terminal of a session. The first one is main; `fork` makes more.\n";

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
constexpr int kOurFailure = 125;  // differs from the usual exit statuses of programs

constexpr const char* kSessions = "Sessions";
constexpr const char* kBranching = "Branching";
constexpr const char* kTerminal = "Files and terminal";
constexpr const char* kExploration = "Exploration";
constexpr const char* kHost = "Host";

using AddWithWords = void (*)(CLI::App& app, const std::vector<std::string>& words, int& exit_code);

struct Entry {
  std::string_view name;
  const char* group;
  AddCommand add = nullptr;
  AddWithWords add_with_words = nullptr;  // for a command with words after `--`
  bool describes_others = false;          // needs all commands declared
};

// An entry without a function is a command of `statefork-full`.
constexpr Entry kTable[] = {
    {"new", kSessions},
    {"exec", kSessions, nullptr, add_exec_command},
    {"run", kSessions, nullptr, add_run_command},
    {"ls", kSessions, add_ls_command},
    {"stats", kSessions, add_stats_command},
    {"rm", kSessions, add_rm_command},
    {"snapshot", kBranching, add_snapshot_command},
    {"restore", kBranching, add_restore_command},
    {"fork", kBranching, add_fork_command},
    {"tree", kBranching, add_tree_command},
    {"diff", kBranching, add_diff_command},
    {"log", kBranching, add_log_command},
    {"show", kBranching, add_show_command},
    {"note", kBranching, add_note_command},
    {"rename", kBranching, add_rename_command},
    {"cleanup", kBranching, add_cleanup_command},
    {"shell", kTerminal, add_shell_command},
    {"cp", kTerminal, add_cp_command},
    {"keys", kTerminal, nullptr, add_keys_command},
    {"mouse", kTerminal, add_mouse_command},
    {"screen", kTerminal, add_screen_command},
    {"resize", kTerminal, add_resize_command},
    {"explore", kExploration},
    {"apply", kExploration},
    {"replay", kExploration},
    {"doctor", kHost},
    {"root", kHost},
    {"serve", kHost, add_serve_command},
    {"mcp", kHost},
    {"gc", kHost, add_gc_command},
    {"completion", kHost},
    {"man", kHost, nullptr, nullptr, true},
};

const Entry* find_entry(std::string_view name) {
  const auto* found = std::ranges::find(kTable, name, &Entry::name);
  return found == std::end(kTable) ? nullptr : found;
}

bool takes_words(std::string_view name) {
  const Entry* entry = find_entry(name);
  return entry != nullptr && entry->add_with_words != nullptr;
}

// "`a`, `b` and `c`": the commands that take words after `--`.
std::string takers() {
  std::vector<std::string_view> names;
  for (const Entry& entry : kTable) {
    if (entry.add_with_words != nullptr) names.push_back(entry.name);
  }
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 < names.size() ? ", " : " and ";
    text += "`" + std::string(names[i]) + "`";
  }
  return text;
}

// In the format of print_error().
std::string describe_failure(const CLI::App* app, const CLI::Error& error) {
  std::string message = error.what();
  std::string command = app->get_name();
  for (const CLI::App* sub : app->get_subcommands()) command += " " + sub->get_name();
  if (app->get_subcommands().empty() && !app->remaining().empty())
    message = "unknown command '" + app->remaining().front() + "'";
  return "statefork: " + message + "\n  hint: `" + command + " --help`\n";
}

}  // namespace

bool is_client_command(std::string_view name) {
  const Entry* entry = find_entry(name);
  return entry != nullptr && (entry->add != nullptr || entry->add_with_words != nullptr);
}

CommandLine::CommandLine(int argc, char** argv, std::span<const NamedCommand> others)
    : app_{kOverview, "statefork"} {
  // Words after `--` are not parsed: the parser would split some of them ("[a,b]").
  char** mark = std::find(argv, argv + argc, std::string_view("--"));
  arguments_.assign(argv + std::min(argc, 1), std::max(mark, argv + std::min(argc, 1)));
  has_words_ = mark != argv + argc;
  if (has_words_) words_.assign(mark + 1, argv + argc);
  app_.formatter(std::make_shared<HelpFormatter>());
  app_.set_version_flag("--version", "statefork " SF_VERSION);
  app_.footer(kConventions);
  app_.require_subcommand(0, 1);  // a session or node may have the name of a command
  app_.failure_message(describe_failure);
  add_commands(arguments_.empty() ? "" : arguments_.front(), others);
}

void CommandLine::add_commands(std::string_view named, std::span<const NamedCommand> others) {
  const Entry* only = find_entry(named);
  if (only != nullptr && only->describes_others) only = nullptr;
  for (const Entry& entry : kTable) {
    if (only != nullptr && &entry != only) continue;
    const auto other = std::ranges::find(others, entry.name, &NamedCommand::name);
    if (entry.add_with_words != nullptr) {
      entry.add_with_words(app_, words_, exit_code_);
    } else if (entry.add != nullptr) {
      entry.add(app_, exit_code_);
    } else if (other != others.end()) {
      other->add(app_, exit_code_);
    } else {
      continue;
    }
    app_.get_subcommands({}).back()->group(entry.group);
  }
}

int CommandLine::run() {
  const std::string command = arguments_.empty() ? "" : arguments_.front();
  if (has_words_ && !takes_words(command)) {
    std::cerr << "statefork: only " << takers() << " accept words after --\n";
    return kUsageError;
  }
  if (command == "keys") {
    for (std::string& word : arguments_) {
      if (word.starts_with('[') || word.starts_with(kWholeWord)) word.insert(0, 1, kWholeWord);
    }
  }
  const int usage_error = command == "exec" || command == "run" ? kOurFailure : kUsageError;
  try {
    app_.parse(std::vector<std::string>(arguments_.rbegin(), arguments_.rend()));  // CLI11's order
    if (app_.get_subcommands().empty()) std::cout << kOverview << '\n' << kNextStep;
  } catch (const CLI::ParseError& error) {  // --help and --version throw, too
    exit_code_ = app_.exit(error) == 0 ? 0 : usage_error;
  }
  if (std::cout.flush() || exit_code_ != 0) return exit_code_;
  std::cerr << "statefork: cannot write to standard output\n";
  return usage_error == kOurFailure ? kOurFailure : 1;
}

}  // namespace sf::cli
