// The kernel's texts about itself: version numbers are not negative, and capabilities are known.
#include "os/host_info.h"

#include <algorithm>

#include "input.h"

namespace sf::fuzz {

void host_info(std::string_view input) {
  auto version = os::parse_kernel_version(input);
  SF_CHECK(!version || (version->major >= 0 && version->minor >= 0));
  os::CapabilitySet all = os::all_capabilities();
  os::CapabilitySet some = os::parse_effective_capabilities(input);
  SF_CHECK(std::includes(all.begin(), all.end(), some.begin(), some.end()));
  (void)os::maps_all_users(input);
}

}  // namespace sf::fuzz
