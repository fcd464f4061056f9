// Parses a shell's exported variables from the output of `export -p`. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace sf::backends {

// Maps names to values, both quoted as by the shell. Omits variables that every command changes.
std::map<std::string, std::string> exported_variables(std::string_view printed);

}  // namespace sf::backends
