// BranchConfig: the settings of a new live branch, and their validation. Plain data; no system
// calls.
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
  kAuto,    // native if it can capture everything in the tree, else CRIU
  kNative,  // takes milliseconds; its images are valid until the host reboots
  kCriu,
};

enum class Network {
  kNone,  // a private loopback device: each branch has its own port 8000
  kHost,  // the host's network, shared with the host and with all other branches that use kHost
};

struct BranchConfig {
  EngineChoice engine = EngineChoice::kAuto;  // how processes are captured
  std::string root = "/";     // base root: the host's /, a directory, an unpacked root file system
  std::string user = "root";  // name or uid, looked up in the root's /etc/passwd
  std::string cwd = "/";
  std::string hostname = "waypoint";
  std::map<std::string, std::string>
      env;  // added to the defaults; the caller's environment is never used
  WindowSize window{40, 160};
  Network network = Network::kNone;
  os::CgroupLimits limits;
  std::optional<os::ResourceLimits> rlimits;    // nothing: the manager's own
  std::vector<std::string> extra_capabilities;  // added to container_capabilities()
  std::string label;  // an id by which the caller of the store finds the branch again; may be empty
};

// Parses "auto", "native" or "criu".
std::optional<EngineChoice> engine_choice_from(std::string_view name);
std::string_view to_string(EngineChoice choice);

// kInvalidArgument: the message names the invalid field and its valid values.
Status check_config(const BranchConfig& config);

// The environment of the branch's shell: fixed defaults plus config.env.
std::vector<std::string> shell_environment(const BranchConfig& config, const std::string& user_name,
                                           const std::string& home);

wire::Json to_json(const BranchConfig& config);
Result<BranchConfig> branch_config_from_json(const wire::Json& json);

}  // namespace sf::waypoint
