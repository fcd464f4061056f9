// Netlink sockets with nothing unread: monitors that wait for news, or wait to be used.
//
// Saved: protocol, port, groups, peer, filter, options. Brought back: init makes, joins, binds.
// Declined: unread messages, errors (news that were lost), filters that are no classic ones.
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
// Pure. The numbers of the groups in what NETLINK_LIST_MEMBERSHIPS tells.
std::vector<std::uint32_t> groups_in(const std::vector<std::uint32_t>& words);

// What it has beyond any other socket.
void capture_netlink(int fd, SocketImage& socket);
// The new descriptor.
Argument make_netlink(ProgramWriter& program, const SocketImage& socket, std::uint32_t flags);

}  // namespace sf::waypoint::native
