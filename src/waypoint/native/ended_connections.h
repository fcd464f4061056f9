// TCP connections that have ended: both sides are closed, or the other one was reset, and whoever
// had an error to tell has told it. The socket is still there, and so may be bytes to read.
//
// Saved: address, unread bytes. Brought back: init connects a new socket to one of its own, which
// sends these bytes, says that this is all, and breaks the connection off.
#pragma once

#include "base/result.h"
#include "waypoint/native/file_places.h"
#include "waypoint/native/image.h"
#include "waypoint/native/program_writer.h"
#include "waypoint/native/tcp_connections.h"

namespace sf::waypoint::native {

// Pure. Of a socket without a connection: whether it has had one.
bool has_ended(const TcpFacts& tcp);
Result<TcpImage> capture_ended(int fd);  // `fd`: a copy of it
// Init's part.
void open_ended_connections(ProgramWriter& program, const TreeImage& tree,
                            const FilePlaces& places);

}  // namespace sf::waypoint::native
