// Internet sockets: listening TCP and UDP; both also while unbound. Connections: tcp_connections.h,
// unaccepted_connections.h. Unread datagrams: datagrams.h.
//
// Saved: address, peer (UDP), backlog, and every option of a list that differs from a new socket's.
// Restored: init creates the socket, sets its options and binds it. Declined: unsent data, errors,
// filters, multicast groups (a socket does not show which it has joined), all other families except
// Unix sockets (unix_sockets.h) and netlink (netlink_sockets.h).
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "engine/native/image.h"
#include "engine/native/program/program_writer.h"
#include "engine/native/sockets/netlink_sockets.h"
#include "engine/native/sockets/tcp_connections.h"
#include "engine/native/sockets/unix_facts.h"

namespace sf::waypoint::native {

// Facts about a socket. Plain data.
struct SocketFacts {
  int family = 0;
  int type = 0;
  int protocol = 0;
  bool listens = false;
  bool has_peer = false;
  bool has_error = false;
  bool has_filter = false;
  bool may_have_groups = false;  // a socket in its network has joined a multicast group
  int unsent = 0;
  std::uint64_t inode = 0;  // identifies the socket
  std::string name;         // UDP and listening TCP: as bind() takes it
  std::vector<SocketMessage> datagrams;
  bool shares_port = false;
  int tcp_state = 0;
  int waiting = 0;             // connections to be accepted
  bool knows_waiting = false;  // all of them are from clients in the tree
  int backlog = 0;
  UnixFacts local;  // AF_UNIX
  TcpFacts tcp;     // except for listeners
  NetlinkFacts netlink;
  bool operator==(const SocketFacts&) const = default;
};
Result<SocketFacts> read_socket_facts(pid_t pid, int fd);  // `fd`: a copy of it

// Pure. True if there is a multicast group besides the default groups of every interface. The
// arguments are the texts of /proc/net/igmp and igmp6.
bool names_joined_groups(const std::string& igmp, const std::string& igmp6);

// Pure. Why it cannot be captured; nothing: it can.
std::optional<std::string> socket_trouble(const SocketFacts& facts);

// Saves the options of a list that differ from a new socket's; sets one of them again.
Result<std::vector<SocketOption>> capture_options(int fd, const SocketFacts& facts);
void set_option(ProgramWriter& program, Argument fd, const SocketOption& option);

// For all families except Unix sockets.
Result<SocketImage> capture_socket(pid_t pid, int number, const SocketFacts& facts);
// Returns the new descriptor.
Argument make_socket(ProgramWriter& program, const SocketImage& socket, std::uint32_t flags);

}  // namespace sf::waypoint::native
