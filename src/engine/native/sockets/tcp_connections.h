// TCP connections, both ends of which are in the tree.
//
// Saved by TCP_REPAIR, which a live socket does not notice: sequence numbers, both queues, window,
// negotiated options, timestamp. Brought back: init makes both ends in repair mode, each with what
// the other has received as its beginning, so that nothing is under way; then what was not received
// is sent again, and halves that were shut are shut. The other end of a connection that was closed
// and whose owner is gone is made, and closed. Those that have ended: ended_connections.h; that
// nobody has accepted: waiting_connections.h.
// Declined: ends outside of the tree, connections that are being made, urgent data, errors,
// encryption in the kernel.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "engine/native/files/fd_locations.h"
#include "engine/native/image.h"
#include "engine/native/program/program_writer.h"
#include "engine/native/sockets/waiting_connections.h"

namespace sf::waypoint::native {

struct SocketFacts;

struct TcpFacts {
  int state = 0;
  std::string name;  // of both ends, as bind() takes them
  std::string peer;
  bool has_peer = false;  // in the tree
  bool is_readable = false;
  bool has_urgent = false;
  bool has_protocol = false;  // another one on top of it
  ClientFacts client;
  std::uint32_t turn = 0;  // it waits to be accepted, as the nth; 0: it does not
  bool operator==(const TcpFacts&) const = default;
};
TcpFacts read_tcp_facts(int fd, int state);
// Pure. Whose other end is in the tree.
void tie_connections(const std::vector<SocketFacts*>& sockets);
// Pure. Why it cannot be captured; empty: it can. Of one that does not listen.
std::string tcp_trouble(const TcpFacts& tcp);
// Pure. Whether the end of one is the beginning of the other; IPv4 within IPv6 is the same.
bool is_same_location(const std::string& one, const std::string& other);
// Pure. Whether a socket that listens there may be the one that `location` leads to.
bool listens_at(const std::string& listener, const std::string& location);

Result<TcpImage> capture_connection(int fd, const TcpFacts& facts);

// Pure. What one end has sent and the other has not received.
std::string not_received(const TcpImage& sender, const TcpImage& receiver);

// Init's part. Requires: all sockets that listen are there.
void open_connections(ProgramWriter& program, const TreeImage& tree, const FdLocations& locations);

}  // namespace sf::waypoint::native
