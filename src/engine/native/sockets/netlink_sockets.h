// Netlink sockets without unread messages: idle monitors and unused sockets.
//
// Saved: protocol, port, groups, peer, filter, options. Restored: init creates the socket, binds it
// and joins its groups. Declined: unread messages, errors (lost messages), filters that are not
// classic ones.
#pragma once

#include <string>
#include <vector>

#include "engine/native/image.h"
#include "engine/native/program/program_writer.h"

namespace sf::waypoint::native {

struct NetlinkFacts {
  bool has_unread = false;
  bool has_error = false;
  bool has_unknown_filter = false;
  bool operator==(const NetlinkFacts&) const = default;
};
NetlinkFacts read_netlink_facts(int fd);
// Pure. Why it cannot be captured; empty: it can.
std::string netlink_trouble(const NetlinkFacts& facts);
// Pure. The group numbers in the result of NETLINK_LIST_MEMBERSHIPS.
std::vector<std::uint32_t> groups_in(const std::vector<std::uint32_t>& words);

// Saves the state that other sockets do not have.
void capture_netlink(int fd, SocketImage& socket);
// Returns the new descriptor.
Argument make_netlink(ProgramWriter& program, const SocketImage& socket, std::uint32_t flags);

}  // namespace sf::waypoint::native
