// A Debian root from the machine's own mirror, made by debootstrap; kept like an image, by what was
// asked for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "roots/prepare_root.h"

namespace sf::roots {

struct DebootstrapRequest {
  std::string suite;
  std::vector<std::string> packages;  // beside the smallest variant's
  std::string mirror;                 // empty: where this machine gets its own packages
};

// The same request gets the root that was made first; remove that for a newer one. Needs root,
// debootstrap and the network.
Result<RootImage> debootstrap_root(const DebootstrapRequest& request,
                                   const PrepareOptions& options);

// Pure: names that are no options and no paths.
Status check_request(const DebootstrapRequest& request);
// Pure: whatever the order of its packages. Requires: it has a mirror.
std::string digest_of(const DebootstrapRequest& request);
// Pure. `targets`: lines of "ORIGIN CODENAME URI", as apt lists them. The repository of that suite,
// else that of the machine's own release; kNotFound when there is none.
Result<std::string> choose_mirror(std::string_view targets, const std::string& suite);
// Pure: "I: Retrieving bash 5.2" is "Retrieving bash 5.2"; empty for lines that tell users nothing.
std::string step_in_line(std::string_view line);

}  // namespace sf::roots
