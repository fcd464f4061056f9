// Where CRIU is and how old it is. Debian 12's own CRIU does not start on new kernels, so tools/dev
// installs one into a private prefix; that one is preferred to whatever PATH offers.
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

// The output of `criu --version`. kCorrupt when it names no version.
Result<CriuVersion> parse_criu_version(std::string_view text);

// What the environment says about CRIU; an absent variable is empty.
struct CriuEnvironment {
  std::string binary;       // STATEFORK_CRIU
  std::string prefix;       // STATEFORK_CRIU_PREFIX, as tools/dev has it
  std::string search_path;  // PATH
};

// The first of: `explicit_path`, $STATEFORK_CRIU, <private prefix>/bin/criu, PATH and the system's
// directories. The first two are wishes: when one is given and cannot be run, that is kNotFound and
// nothing else is tried.
Result<std::string> find_criu(const std::string& explicit_path, const CriuEnvironment& environment);
// The same with this process's environment.
Result<std::string> find_criu(const std::string& explicit_path);

Result<CriuVersion> criu_version(const std::string& path);
// `criu check`, in a mount namespace of its own where /run is a tmpfs: CRIU leaves a cache there.
Status check_criu(const std::string& path, Deadline deadline);

}  // namespace sf::waypoint
