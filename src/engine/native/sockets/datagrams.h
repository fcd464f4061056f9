// Unread datagrams of UDP sockets.
//
// Saved: by MSG_PEEK, each with its sender's address. Restored: init sends them again as packets
// that it writes itself, before the socket has its peer, so that they have the original sender.
// Declined: senders outside the loopback, ports shared by several sockets. Only the first peek sees
// an empty datagram: the next capture does not have it.
#pragma once

#include <string>
#include <vector>

#include "engine/native/image.h"
#include "engine/native/program/program_writer.h"

namespace sf::waypoint::native {

struct ProcessFacts;

// `fd`: a copy of the descriptor.
std::vector<SocketMessage> read_datagrams(int fd);
// Pure. Finds sockets that share their port with others.
void find_shared_ports(std::vector<ProcessFacts>& processes);
// Pure. Why they cannot be captured; empty: they can.
std::string datagram_trouble(const std::vector<SocketMessage>& datagrams, bool shares_port);
// Pure. A UDP packet with its IP header. Requires: both addresses are of one family.
std::string udp_packet(const std::string& from, const std::string& to, const std::string& bytes);

// Run by init. Requires: `fd` is bound and has no peer yet.
void send_again(ProgramWriter& program, Argument fd, const SocketImage& socket);

}  // namespace sf::waypoint::native
