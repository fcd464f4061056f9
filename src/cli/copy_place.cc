#include "cli/copy_place.h"

namespace sf::cli {

std::string CopyPlace::file_name() const { return path.substr(path.rfind('/') + 1); }

Result<CopyPlace> parse_place(const std::string& text) {
  if (text.empty()) return invalid("'' is no file");
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos || text.front() == '/' || text.front() == '.')
    return CopyPlace{.session = std::nullopt, .path = text};
  SF_TRY_ASSIGN(SessionAddress address, parse_address(text.substr(0, colon)));
  CopyPlace place{.session = std::move(address), .path = text.substr(colon + 1)};
  if (!place.path.starts_with('/'))
    return invalid("'" + text + "': a path in a session begins with /",
                   "`statefork exec " + text.substr(0, colon) + " -- pwd` shows its directory; " +
                       "a file here is written ./" + text);
  return place;
}

std::string inside(const std::string& directory, const std::string& file_name) {
  return directory + (directory.ends_with('/') ? "" : "/") + file_name;
}

}  // namespace sf::cli
