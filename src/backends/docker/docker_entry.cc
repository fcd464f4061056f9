#include "backends/backend_entry.h"
#include "backends/docker/docker_substrate.h"
#include "backends/hosted/hosted_backend.h"
#include "backends/hosted/tool_search.h"
#include "os/file.h"

namespace sf::backends {
namespace {

constexpr const char* kDefaultSocket = "/var/run/docker.sock";

std::string socket_of(const HostContext& around) {
  return around.tools.docker_socket.empty() ? kDefaultSocket : around.tools.docker_socket;
}

Status usable(const HostContext& around) {
  SF_TRY(check_agent(around));
  const std::string socket = socket_of(around);
  if (!os::exists(socket))
    return fail(ErrorCode::kNotFound, "no Docker Engine at " + socket,
                "apt-get install docker.io, or set DOCKER_HOST=unix://SOCKET");
  SF_TRY(DockerApi(socket).get("/version"));
  return Ok{};
}

Result<std::unique_ptr<control::Backend>> make(const HostContext& around) {
  auto substrate = std::make_unique<DockerSubstrate>(
      DockerOptions{socket_of(around), around.agent, around.owner});
  return std::unique_ptr<control::Backend>(
      std::make_unique<HostedBackend>(std::move(substrate), around.state_dir + "/docker"));
}

}  // namespace

BackendEntry docker_entry() {
  return {.name = "docker",
          .summary = "Docker containers; a snapshot is a committed image, which holds only files",
          .preserves = control::Preserves::kFiles,
          .usable = usable,
          .make = make};
}

}  // namespace sf::backends
