// A shell's exported variables, from what `export -p` prints. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace sf::backends {

// Name to value; both as the shell quotes them. What every command changes is left out.
std::map<std::string, std::string> exported_variables(std::string_view printed);

}  // namespace sf::backends
