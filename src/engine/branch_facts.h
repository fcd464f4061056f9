// What decides how a branch is captured, from the texts of /proc. Pure but for has_ipc_objects().
#pragma once

#include <string>

namespace sf::waypoint {

// A TCP socket with data under way, or in a state between connected and closed: needs the network
// held still while its tree is captured and brought back. `table` is /proc/net/tcp or tcp6.
bool has_tcp_in_flight(const std::string& table);
// A table of /proc/sysvipc with more than its heading.
bool has_entries(const std::string& table);
// Whether the IPC namespace holds anything of System V: shared memory, semaphores, queues. POSIX
// message queues: engine/native/ipc/posix_queues.h. A table that cannot be read counts as one with
// entries.
bool has_ipc_objects(const std::string& tables = "/proc/sysvipc");

}  // namespace sf::waypoint
