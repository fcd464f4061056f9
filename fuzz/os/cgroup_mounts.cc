// Mounted cgroup hierarchies: any mount table gives a layout for which limits can be computed.
#include "input.h"
#include "os/cgroup.h"

namespace sf::fuzz {

void cgroup_mounts(std::string_view input) {
  os::CgroupLayout layout = os::parse_cgroup_mounts(std::string(input));
  for (const auto& [controller, location] : layout.v1)
    SF_CHECK(controller == "memory" || controller == "pids" || controller == "cpu");
  os::CgroupLimits limits{.memory_bytes = 1U << 30U, .pids = 100, .cpus = 1.5};
  for (const os::LimitSetting& setting : os::limit_settings(layout, limits))
    SF_CHECK(!setting.file.empty() && !setting.value.empty());
}

}  // namespace sf::fuzz
