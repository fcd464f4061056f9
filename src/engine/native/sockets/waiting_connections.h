// TCP connections that nobody has accepted yet, at a socket in the tree that listens. Their clients
// are in the tree, too, and have sent nothing: what lies in a connection that nobody has accepted
// cannot be looked at.
//
// Saved: who waits where, and in which order. Brought back: init connects again in that order.
// Declined: connections that have sent something, and those whose clients are gone or outside.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/native/files/fd_locations.h"
#include "engine/native/image.h"
#include "engine/native/program/program_writer.h"

namespace sf::waypoint::native {

struct SocketFacts;

// What decides about the order. Connections made within a few milliseconds of each other are taken
// to have been made in the order of their sockets: the kernel does not tell.
struct ClientFacts {
  bool is_quiet = false;          // it has sent nothing
  std::int64_t connected_ms = 0;  // when, roughly
  bool operator==(const ClientFacts&) const = default;
};
ClientFacts read_client_facts(int fd);

// Pure. Finds who waits at which listener, and gives each its turn; the same socket may be there
// more than once. Requires: tie_connections() has been called.
void tie_waiting(const std::vector<SocketFacts*>& sockets);

// Init's part. Requires: all sockets that listen are there.
void connect_waiting(ProgramWriter& program, const TreeImage& tree, const FdLocations& locations);

}  // namespace sf::waypoint::native
