// TCP connections with both ends in the tree.
//
// Saved by TCP_REPAIR, which does not disturb a live socket: sequence numbers, both queues, window,
// negotiated options, timestamp. Restored: init creates both ends in repair mode, each with the
// sequence number that the other has received, so that nothing is in flight. Then unreceived data
// is sent again, and closed halves are shut down. If the other end was closed and has no owner any
// more, init creates it and closes it. Ended connections: ended_connections.h. Unaccepted ones:
// unaccepted_connections.h.
// Declined: ends outside the tree, connections that are being established, urgent data, errors,
// encryption in the kernel.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "engine/native/files/fd_locations.h"
#include "engine/native/image.h"
#include "engine/native/program/program_writer.h"
#include "engine/native/sockets/unaccepted_connections.h"

namespace sf::waypoint::native {

struct SocketFacts;

struct TcpFacts {
  int state = 0;
  std::string name;  // both ends, as bind() takes them
  std::string peer;
  bool has_peer = false;  // in the tree
  bool is_readable = false;
  bool has_urgent = false;
  bool has_protocol = false;  // an upper layer protocol
  ClientFacts client;
  std::uint32_t turn = 0;  // position among unaccepted connections; 0: accepted
  bool operator==(const TcpFacts&) const = default;
};
TcpFacts read_tcp_facts(int fd, int state);
// Pure. Finds the connections that have their other end in the tree.
void tie_connections(const std::vector<SocketFacts*>& sockets);
// Pure. Why a socket that does not listen cannot be captured; empty: it can.
std::string tcp_trouble(const TcpFacts& tcp);
// Pure. True if both are the same address and port; an IPv4 address may be mapped into IPv6.
bool is_same_location(const std::string& one, const std::string& other);
// Pure. True if a socket that listens at `listener` can accept connections to `location`.
bool listens_at(const std::string& listener, const std::string& location);

Result<TcpImage> capture_connection(int fd, const TcpFacts& facts);

// Pure. The data that `sender` has sent and `receiver` has not received.
std::string not_received(const TcpImage& sender, const TcpImage& receiver);

// Run by init. Requires: all listening sockets exist.
void open_connections(ProgramWriter& program, const TreeImage& tree, const FdLocations& locations);

}  // namespace sf::waypoint::native
