// TCP connections that have ended: both ends are closed, or the peer reset the connection and the
// error was already reported. The socket still exists and may have unread bytes.
//
// Saved: address, unread bytes. Restored: init connects a new socket to a listener of its own. The
// accepted end sends these bytes, shuts down and resets the connection.
#pragma once

#include "base/result.h"
#include "engine/native/files/fd_locations.h"
#include "engine/native/image.h"
#include "engine/native/program/program_writer.h"
#include "engine/native/sockets/tcp_connections.h"

namespace sf::waypoint::native {

// Pure. For an unconnected socket: true if it had a connection.
bool has_ended(const TcpFacts& tcp);
Result<TcpImage> capture_ended(int fd);  // `fd`: a copy of it
// Run by init.
void open_ended_connections(ProgramWriter& program, const TreeImage& tree,
                            const FdLocations& locations);

}  // namespace sf::waypoint::native
