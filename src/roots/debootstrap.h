// Makes a Debian root from the machine's mirror with debootstrap. The root is cached like an image,
// by the digest of the request.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "roots/prepare_root.h"

namespace sf::roots {

struct DebootstrapRequest {
  std::string suite;
  std::vector<std::string> packages;  // in addition to those of the smallest variant
  std::string mirror;                 // empty: the mirror of this machine
};

// An equal request returns the cached root; remove that root to get newer packages. Needs root,
// debootstrap and the network.
Result<RootImage> debootstrap_root(const DebootstrapRequest& request,
                                   const PrepareOptions& options);

// Refuses names that could be options or paths. Pure.
Status check_request(const DebootstrapRequest& request);
// Pure; independent of the order of packages. Requires: the request has a mirror.
std::string digest_of(const DebootstrapRequest& request);
// Pure. `targets`: lines of "ORIGIN CODENAME URI", as apt lists them. Returns the repository of the
// suite, or else that of the machine's own release; kNotFound if there is none.
Result<std::string> choose_mirror(std::string_view targets, const std::string& suite);
// Pure. "I: Retrieving bash 5.2" gives "Retrieving bash 5.2"; lines of no interest to users give
// "".
std::string step_in_line(std::string_view line);

}  // namespace sf::roots
