// `statefork completion SHELL`, and what the scripts that it prints call.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace sf::cli {

void add_completion_command(CLI::App& app, int& exit_code);

// `statefork __complete WORD...`: prints what could stand in place of the last word. Starts no
// daemon, and never fails.
void print_completions(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace sf::cli
