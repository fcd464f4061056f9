#include "os/cgroup_thaw.h"

#include "base/split.h"
#include "os/file.h"

namespace sf::os {
namespace {

void add_switches(std::vector<FreezerSwitch>& switches, const std::string& mount,
                  const std::string& path, const std::string& name_begin,
                  const FreezerSwitch& each) {
  bool inside = false;
  for (std::size_t end = 0; end != std::string::npos;) {
    const std::size_t begin = end + 1;
    end = path.find('/', begin);
    inside = inside || path.compare(begin, name_begin.size(), name_begin) == 0;
    if (inside) switches.push_back({mount + path.substr(0, end) + each.file, each.resume});
  }
}

}  // namespace

std::vector<FreezerSwitch> freezer_switches(const CgroupLayout& layout, const std::string& groups,
                                            const std::string& name_begin) {
  std::vector<FreezerSwitch> switches;
  for (const std::string& line : split(groups, '\n')) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos || line.compare(second + 1, 1, "/") != 0) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    if (controllers.empty() && !layout.unified.empty())
      add_switches(switches, layout.unified, path, name_begin, {"/cgroup.freeze", "0"});
    auto old = layout.v1.find("freezer");
    if (controllers == "freezer" && old != layout.v1.end())
      add_switches(switches, old->second, path, name_begin, {"/freezer.state", "THAWED"});
  }
  return switches;
}

Status thaw(pid_t pid, const std::string& name_begin) {
  SF_TRY_ASSIGN(std::string groups, read_file("/proc/" + std::to_string(pid) + "/cgroup"));
  for (const FreezerSwitch& each : freezer_switches(read_cgroup_layout(), groups, name_begin)) {
    auto state = read_file(each.file);
    if (!state || state->starts_with(each.resume)) continue;  // no freezer, or not frozen
    SF_TRY(write_file(each.file, each.resume));
  }
  return Ok{};
}

}  // namespace sf::os
