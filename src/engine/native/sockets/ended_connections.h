// TCP connections that have ended: both sides are closed, or the other one was reset, and whoever
// had an error to tell has told it. The socket is still there, and so may be bytes to read.
//
// Saved: address, unread bytes. Brought back: init connects a new socket to one of its own, which
// sends these bytes, says that this is all, and breaks the connection off.
#pragma once

#include "base/result.h"
#include "engine/native/files/fd_locations.h"
#include "engine/native/image.h"
#include "engine/native/program/program_writer.h"
#include "engine/native/sockets/tcp_connections.h"

namespace sf::waypoint::native {

// Pure. Of a socket without a connection: whether it has had one.
bool has_ended(const TcpFacts& tcp);
Result<TcpImage> capture_ended(int fd);  // `fd`: a copy of it
// Init's part.
void open_ended_connections(ProgramWriter& program, const TreeImage& tree,
                            const FdLocations& locations);

}  // namespace sf::waypoint::native
