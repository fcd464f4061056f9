// Facts from /proc that decide how a branch is captured. Pure, except has_ipc_objects().
#pragma once

#include <string>

namespace sf::waypoint {

// True if a TCP socket has unacknowledged data, or is in a state between connected and closed. The
// network must then be blocked during capture and restore. `table`: text of /proc/net/tcp or tcp6.
bool has_tcp_in_flight(const std::string& table);
// True if a table of /proc/sysvipc has more than its heading.
bool has_entries(const std::string& table);
// True if the IPC namespace holds System V objects: shared memory, semaphores, message queues. A
// table that cannot be read counts as non-empty. POSIX message queues:
// engine/native/ipc/posix_queues.h.
bool has_ipc_objects(const std::string& tables = "/proc/sysvipc");

}  // namespace sf::waypoint
