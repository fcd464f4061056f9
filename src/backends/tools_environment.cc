#include "backends/tools_environment.h"

#include <cstdlib>
#include <string>

#include "wire/tool_variables.h"

namespace sf::backends {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Interprets DOCKER_HOST as Docker's own programs do.
Result<std::string> docker_socket(const std::string& host) {
  constexpr std::string_view kScheme = "unix://";
  if (host.empty()) return host;
  if (!host.starts_with(kScheme))
    return invalid("DOCKER_HOST=" + host + " is not a Unix socket",
                   "containers must run on this host: set DOCKER_HOST=unix:///SOCKET");
  return host.substr(kScheme.size());
}

}  // namespace

Result<Tools> tools_from_environment() {
  Tools tools;
  SF_TRY_ASSIGN(tools.docker_socket, docker_socket(variable(wire::kDockerHost)));
  tools.runsc = variable(wire::kRunsc);
  tools.vm_guest = variable(wire::kVmGuest);
  tools.vm_accelerator = variable(wire::kVmAccelerator);
  tools.podman_config = variable(wire::kPodmanConfig);
  tools.podman_storage_config = variable(wire::kPodmanStorageConfig);
  return tools;
}

}  // namespace sf::backends
