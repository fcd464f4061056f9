// The subcommands that need more than the daemon, one in each file: they unpack archives, search,
// examine this host, or describe all commands. The rules of cli/commands/subcommands.h apply.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace sf::cli {

void add_new_command(CLI::App& app, int& exit_code);

void add_explore_command(CLI::App& app, int& exit_code);
void add_apply_command(CLI::App& app, int& exit_code);
void add_replay_command(CLI::App& app, int& exit_code);

// `exit_code` becomes 0 if sessions can run on this host and 1 if they cannot. Needs no daemon.
void add_doctor_command(CLI::App& app, int& exit_code);
void add_root_command(CLI::App& app, int& exit_code);
void add_completion_command(CLI::App& app, int& exit_code);
void add_man_command(CLI::App& app, int& exit_code);

// `statefork __complete WORD...`, for the completion scripts: prints completions of the last word.
// Starts no daemon, and never fails.
void print_completions(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace sf::cli
