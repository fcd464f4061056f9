// Finds StateFork's other programs and replaces this process by one of them.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace sf::cli {

inline constexpr const char* kDaemonProgram = "statefork-daemon";
// The program with all commands and their libraries.
inline constexpr const char* kFullProgram = "statefork-full";

// In the directory of this program's file (symbolic links are followed), or, if `statefork` is
// installed in PREFIX/bin, in PREFIX/libexec/statefork.
Result<std::string> find_program(const std::string& name);

// Replaces this process; returns only if that fails.
Error become_program(const std::string& name, const std::vector<std::string>& arguments);

}  // namespace sf::cli
