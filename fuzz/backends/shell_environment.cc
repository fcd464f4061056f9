// Exported variables: every reported name and value occurs in the shell's output.
#include "backends/shell_environment.h"

#include "input.h"

namespace sf::fuzz {

void shell_environment(std::string_view input) {
  for (const auto& [name, value] : backends::exported_variables(input)) {
    SF_CHECK(name != "PWD" && name != "_");
    SF_CHECK(input.find(name) != std::string_view::npos);
    SF_CHECK(input.find(value.substr(0, value.find('\n'))) != std::string_view::npos);
  }
}

}  // namespace sf::fuzz
