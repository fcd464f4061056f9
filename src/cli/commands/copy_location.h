// One side of `statefork cp`: here, or in a session. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/commands/session_address.h"

namespace sf::cli {

struct CopyLocation {
  std::optional<SessionAddress> session;  // nothing: here
  std::string path;                       // absolute in a session; "-" here is a standard stream

  bool is_stream() const { return !session && path == "-"; }
  // The last part: what a file is called in another directory.
  std::string file_name() const;
};

// S:/path or S/BRANCH:/path is in a session. What begins with / or . is always here, as is what has
// no colon: write ./a:b for a file of that name.
Result<CopyLocation> parse_location(const std::string& text);

// The file that a copy to `target` makes, when `target` is a directory.
std::string inside(const std::string& directory, const std::string& file_name);

}  // namespace sf::cli
