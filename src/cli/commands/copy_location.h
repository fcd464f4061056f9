// One side of `statefork cp`: a file on this host, or in a session. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/commands/session_address.h"

namespace sf::cli {

struct CopyLocation {
  std::optional<SessionAddress> session;  // nullopt: on this host
  std::string path;                       // absolute in a session; "-": a standard stream

  bool is_stream() const { return !session && path == "-"; }
  // The last component of the path.
  std::string file_name() const;
};

// S:/path or S/BRANCH:/path is in a session. Text without a colon, or that begins with / or ., is a
// file on this host: write ./a:b for a file of that name.
Result<CopyLocation> parse_location(const std::string& text);

// The path of a copy into `directory`.
std::string inside(const std::string& directory, const std::string& file_name);

}  // namespace sf::cli
