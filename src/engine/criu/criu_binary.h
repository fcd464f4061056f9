// Finds CRIU and reads its version. Debian 12's CRIU does not start on new kernels, so tools/dev
// installs a newer one into a private prefix, which takes precedence over PATH.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace sf::waypoint {

inline constexpr const char* kDefaultCriuPrefix = "/opt/statefork/criu";

struct CriuVersion {
  int major = 0;
  int minor = 0;
  int patch = 0;
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 misreads <=>
  auto operator<=>(const CriuVersion&) const = default;
};
inline constexpr CriuVersion kOldestCriu{4, 1, 0};
std::string to_string(const CriuVersion& version);

// Parses the output of `criu --version`. kCorrupt if it contains no version.
Result<CriuVersion> parse_criu_version(std::string_view text);

// Environment variables that select CRIU. Empty: not set.
struct CriuEnvironment {
  std::string binary;       // STATEFORK_CRIU
  std::string prefix;       // STATEFORK_CRIU_PREFIX, also read by tools/dev
  std::string search_path;  // PATH
};

// Tries, in this order: `explicit_path`, $STATEFORK_CRIU, <private prefix>/bin/criu, PATH and the
// system's directories. If one of the first two is given but cannot be run, returns kNotFound and
// tries nothing else.
Result<std::string> find_criu(const std::string& explicit_path, const CriuEnvironment& environment);
// As above, with this process's environment.
Result<std::string> find_criu(const std::string& explicit_path);

Result<CriuVersion> criu_version(const std::string& path);
// Runs `criu check` in its own mount namespace with a tmpfs on /run, where CRIU leaves a cache.
Status check_criu(const std::string& path, Deadline deadline);

}  // namespace sf::waypoint
