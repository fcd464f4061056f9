#include "cli/commands/copy_location.h"

namespace sf::cli {

std::string CopyLocation::file_name() const { return path.substr(path.rfind('/') + 1); }

Result<CopyLocation> parse_location(const std::string& text) {
  if (text.empty()) return invalid("the file name is empty");
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos || text.front() == '/' || text.front() == '.')
    return CopyLocation{.session = std::nullopt, .path = text};
  SF_TRY_ASSIGN(SessionAddress address, parse_address(text.substr(0, colon)));
  CopyLocation location{.session = std::move(address), .path = text.substr(colon + 1)};
  if (!location.path.starts_with('/'))
    return invalid("'" + text + "': a path in a session must begin with /",
                   "`statefork exec " + text.substr(0, colon) + " -- pwd` shows its directory; " +
                       "for a file on this host, write ./" + text);
  return location;
}

std::string inside(const std::string& directory, const std::string& file_name) {
  return directory + (directory.ends_with('/') ? "" : "/") + file_name;
}

}  // namespace sf::cli
