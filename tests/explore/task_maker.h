// Makes task directories for tests, in the formats of Terminal-Bench and Harbor.
#pragma once

#include <string>

namespace sf::test {

// The script's wrong steps come first and damage the state that the right steps need: files,
// variables, the working directory, a process's memory. The tests pass only if each step began from
// the right state. Requires: `directory` does not exist.
void make_terminal_bench_task(const std::string& directory);
// The same task in Harbor's format.
void make_harbor_task(const std::string& directory);

}  // namespace sf::test
