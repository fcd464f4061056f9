// BranchConfig: what a new live branch is to be. Plain data with its checks; no system calls.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/cgroup.h"
#include "os/resource_limits.h"
#include "terminal/screen.h"
#include "wire/json.h"

namespace sf::waypoint {

// The process engines, as manifests name them.
inline constexpr std::string_view kCriuName = "criu";
inline constexpr std::string_view kNativeName = "native";

enum class EngineChoice {
  kAuto,    // native when it can capture everything in the tree, else CRIU
  kNative,  // same boot, milliseconds
  kCriu,
};

enum class Network {
  kNone,  // a private loopback: every branch can have its own port 8000
  kHost,  // the host's network, shared with it and with every other such branch
};

struct BranchConfig {
  EngineChoice engine = EngineChoice::kAuto;  // how processes are captured
  std::string root = "/";     // base root: the host's /, a directory, an unpacked root file system
  std::string user = "root";  // name or uid, as the root's /etc/passwd knows it
  std::string cwd = "/";
  std::string hostname = "waypoint";
  std::map<std::string, std::string>
      env;  // added to the defaults; the caller's environment is never used
  WindowSize window{40, 160};
  Network network = Network::kNone;
  os::CgroupLimits limits;
  std::optional<os::ResourceLimits> rlimits;    // nothing: the manager's own
  std::vector<std::string> extra_capabilities;  // beyond a container's usual ones, e.g. "sys_admin"
  std::string label;  // whose it is, in the words of whoever drives the store: an id, or empty
};

// "auto", "native" or "criu"; nothing for other words.
std::optional<EngineChoice> engine_choice_from(std::string_view name);
std::string_view to_string(EngineChoice choice);

// kInvalidArgument names the field and what it takes.
Status check_config(const BranchConfig& config);

// The environment of the branch's shell: a sane, fixed default plus config.env.
std::vector<std::string> shell_environment(const BranchConfig& config, const std::string& user_name,
                                           const std::string& home);

wire::Json to_json(const BranchConfig& config);
Result<BranchConfig> branch_config_from_json(const wire::Json& json);

}  // namespace sf::waypoint
