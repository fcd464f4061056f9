// Unaccepted TCP connections to a listener in the tree. Their clients are in the tree too and have
// sent nothing: the data of an unaccepted connection cannot be read.
//
// Saved: which client waits at which listener, and in which order. Restored: init connects again in
// that order. Declined: connections that have sent data, and clients that are gone or outside the
// tree.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/native/files/fd_locations.h"
#include "engine/native/image.h"
#include "engine/native/program/program_writer.h"

namespace sf::waypoint::native {

struct SocketFacts;

// Facts that decide the order. Connections made within a few milliseconds of each other are assumed
// to be in the order of their sockets: the kernel does not show the order.
struct ClientFacts {
  bool is_quiet = false;          // it has sent nothing
  std::int64_t connected_ms = 0;  // approximate
  bool operator==(const ClientFacts&) const = default;
};
ClientFacts read_client_facts(int fd);

// Pure. Finds the clients of each listener, and gives each its turn; the same socket may occur more
// than once. Requires: tie_connections() has been called.
void tie_waiting(const std::vector<SocketFacts*>& sockets);

// Run by init. Requires: all listening sockets exist.
void connect_waiting(ProgramWriter& program, const TreeImage& tree, const FdLocations& locations);

}  // namespace sf::waypoint::native
