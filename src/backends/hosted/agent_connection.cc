#include "backends/hosted/agent_connection.h"

#include <fcntl.h>

#include <cerrno>
#include <string>

#include "agent/agent_location.h"
#include "os/file.h"
#include "os/in_root.h"
#include "os/socket.h"

namespace sf::backends {

Result<os::UniqueFd> connect_agent(pid_t pid) {
  auto root = os::InRoot::open("/proc/" + std::to_string(pid) + "/root");
  if (!root && (root.error().os_errno == ENOENT || root.error().os_errno == ESRCH))
    return fail(ErrorCode::kNotFound, "the agent has ended: " + root.error().message);
  if (!root) return std::move(root).error();
  // O_NOFOLLOW: root in the container may have replaced the socket by a link to a socket of the
  // host.
  auto socket = root->open_file(agent::kAgentSocket, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (!socket && socket.error().code != ErrorCode::kNotFound) return socket;
  if (!socket)
    return fail(ErrorCode::kBusy, "the agent is not listening: " + socket.error().message);
  auto connected = os::connect_unix(os::fd_path(socket->get()));
  if (!connected && connected.error().os_errno == ECONNREFUSED)
    return fail(ErrorCode::kBusy, "the agent is not listening: " + connected.error().message);
  return connected;
}

}  // namespace sf::backends
