// The notation for a branch on the command line: S, or S/B. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace sf::cli {

struct SessionAddress {
  std::string session;  // id or name
  std::string branch = "main";
  bool names_branch = false;  // true for S/B

  std::string session_path() const;  // in the API
  std::string branch_path() const;
  std::string node_path(const std::string& node) const;  // HEAD is this branch's HEAD
};

Result<SessionAddress> parse_address(std::string_view text);

}  // namespace sf::cli
