#include "backends/gvisor/bundle.h"

#include <nlohmann/json.hpp>

#include "agent/agent_location.h"
#include "shell/capabilities.h"

namespace sf::backends {

using waypoint::BranchConfig;
using wire::Json;

namespace {

Json mount(const std::string& type, const std::string& where) {
  return {{"destination", where}, {"type", type}, {"source", type}};
}

}  // namespace

Json bundle_config(const BranchConfig& config, const std::string& agent) {
  auto wanted =
      waypoint::with_capabilities(waypoint::container_capabilities(), config.extra_capabilities);
  const Json names =
      waypoint::capability_names(wanted ? *wanted : waypoint::container_capabilities());
  Json bind = {{"destination", agent::kAgentPath},
               {"type", "bind"},
               {"source", agent},
               {"options", {"bind", "ro"}}};
  Json spaces = Json::array();
  for (const char* type : {"pid", "network", "ipc", "uts", "mount"})
    spaces.push_back({{"type", type}});
  return {{"ociVersion", "1.0.0"},
          {"hostname", config.hostname},
          {"root", {{"path", config.root}, {"readonly", false}}},
          {"process",
           {{"args", {agent::kAgentPath, "serve"}},
            {"cwd", "/"},
            {"env", Json::array()},
            {"user", {{"uid", 0}, {"gid", 0}}},
            {"capabilities", {{"bounding", names}, {"effective", names}, {"permitted", names}}}}},
          {"mounts",
           {mount("proc", "/proc"), mount("tmpfs", "/dev"), mount("devpts", "/dev/pts"),
            mount("sysfs", "/sys"), mount("tmpfs", "/dev/shm"), bind}},
          {"linux", {{"namespaces", spaces}}}};
}

}  // namespace sf::backends
