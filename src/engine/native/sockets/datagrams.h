// Datagrams that wait in UDP sockets.
//
// Saved: by looking (MSG_PEEK), each with its sender's address. Brought back: init sends them
// again as packets that it writes itself, before the socket has its peer, so that they come from
// who sent them. Declined: senders that are not on the loopback, ports that several sockets share.
// An empty datagram is seen by the first who looks: the next capture does not have it.
#pragma once

#include <string>
#include <vector>

#include "engine/native/image.h"
#include "engine/native/program/program_writer.h"

namespace sf::waypoint::native {

struct ProcessFacts;

// `fd`: a copy of the descriptor.
std::vector<SocketMessage> read_datagrams(int fd);
// Pure. Which sockets with datagrams share their port with others.
void find_shared_ports(std::vector<ProcessFacts>& processes);
// Pure. Why they cannot be captured; empty: they can.
std::string datagram_trouble(const std::vector<SocketMessage>& datagrams, bool shares_port);
// Pure. With its IP header; the addresses are of one family.
std::string udp_packet(const std::string& from, const std::string& to, const std::string& bytes);

// Init's part. Requires: `fd` is bound and has no peer yet.
void send_again(ProgramWriter& program, Argument fd, const SocketImage& socket);

}  // namespace sf::waypoint::native
