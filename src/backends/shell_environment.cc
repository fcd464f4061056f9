#include "backends/shell_environment.h"

#include <algorithm>
#include <array>

#include "base/split.h"

namespace sf::backends {
namespace {

constexpr std::string_view kPrefix = "declare -x";
// The working directory is compared separately; the window size does not belong to the state.
constexpr std::array<std::string_view, 5> kLeftOut = {"PWD", "OLDPWD", "LINES", "COLUMNS", "_"};

}  // namespace

std::map<std::string, std::string> exported_variables(std::string_view printed) {
  std::map<std::string, std::string> variables;
  std::string last;
  for (const std::string& line : split(printed, '\n')) {
    if (!line.starts_with(kPrefix)) {  // continues the value of the previous line
      if (!last.empty()) variables[last] += "\n" + line;
      continue;
    }
    std::size_t begin = line.find(' ', kPrefix.size());  // -x, -xr, -xi: attributes may follow
    if (begin == std::string::npos) continue;
    std::size_t equals = line.find('=', begin);
    last = line.substr(begin + 1, equals == std::string::npos ? equals : equals - begin - 1);
    variables[last] = equals == std::string::npos ? "" : line.substr(equals + 1);
  }
  for (std::string_view name : kLeftOut) variables.erase(std::string(name));
  return variables;
}

}  // namespace sf::backends
