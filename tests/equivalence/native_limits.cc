#include "native_limits.h"

#include <map>

namespace sf::equivalence {

std::optional<std::string> native_declines(const std::string& scenario) {
  static const std::map<std::string, std::string> kReasons = {
      // Things that have lost the name they were opened by, and cannot be copied.
      {"UnlinkedBaseFileHeldOpen", "its name is gone"},
      {"FileOpenByARemovedName", "its name is gone"},
  };
  auto found = kReasons.find(scenario);
  if (found == kReasons.end()) return std::nullopt;
  return found->second;
}

}  // namespace sf::equivalence
