// `statefork doctor`: what this machine offers to sessions and what it lacks. Works without a
// daemon.
#pragma once

#include <CLI/CLI.hpp>

namespace sf::cli {

// `exit_code` becomes 0 when sessions can run and 1 when they cannot. Requires: it lives as long as
// `app`.
void add_doctor_command(CLI::App& app, int& exit_code);

}  // namespace sf::cli
