#include "backends/branch_settings.h"

namespace sf::backends {

using waypoint::BranchConfig;
using waypoint::Network;

control::StartConfig with_own_limits(control::StartConfig config) {
  config.extra.try_emplace(std::string(kResourceLimits),
                           os::ResourceLimits::of_this_process().text());
  return config;
}

Result<BranchConfig> branch_config(const control::StartConfig& config, const std::string& label) {
  BranchConfig branch;
  if (label == "criu") branch.engine = waypoint::EngineChoice::kCriu;
  for (const auto& [name, value] : config.extra) {
    if (name == kResourceLimits) {
      branch.rlimits = os::ResourceLimits::parse(value);
      if (!branch.rlimits) return fail(ErrorCode::kUnsupported, "malformed resource limits");
      continue;
    }
    if (name != "engine" || label != "waypoint")
      return fail(ErrorCode::kUnsupported, "unknown setting " + name, "remove it");
    auto engine = waypoint::engine_choice_from(value);
    if (!engine)
      return fail(ErrorCode::kUnsupported, "there is no engine \"" + value + "\"",
                  "use auto, native or criu");
    branch.engine = *engine;
  }
  if (config.network != "none" && config.network != "host")
    return fail(ErrorCode::kUnsupported, "there is no network \"" + config.network + "\"",
                "use none or host");
  branch.root = config.root;
  branch.user = config.user;
  branch.cwd = config.cwd;
  if (!config.hostname.empty()) branch.hostname = config.hostname;
  branch.env = config.env;
  branch.window = {config.rows, config.cols};
  branch.network = config.network == "host" ? Network::kHost : Network::kNone;
  if (config.memory_bytes > 0) branch.limits.memory_bytes = config.memory_bytes;
  if (config.max_pids > 0) branch.limits.pids = config.max_pids;
  if (config.cpu_percent > 0) branch.limits.cpus = config.cpu_percent / 100.0;
  branch.extra_capabilities = config.extra_capabilities;
  branch.label = label;
  return branch;
}

}  // namespace sf::backends
