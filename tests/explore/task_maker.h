// Tasks for tests: directories as Terminal-Bench and Harbor have them.
#pragma once

#include <string>

namespace sf::test {

// A script's wrong turns come first and damage what the right ones need: files, variables, the
// directory, a process's memory. Tests pass only when each step began from the right state.
// Requires: `directory` does not exist.
void make_terminal_bench_task(const std::string& directory);
// The same as Harbor has it.
void make_harbor_task(const std::string& directory);

}  // namespace sf::test
