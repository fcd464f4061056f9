#include "engine/native/sockets/netlink_sockets.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <cstring>

#include "engine/native/sockets/internet_sockets.h"

namespace sf::waypoint::native {
namespace {

// Instructions of a classic filter.
std::string filter_of(int fd) {
  socklen_t count = 0;
  if (::getsockopt(fd, SOL_SOCKET, SO_GET_FILTER, nullptr, &count) != 0 || count == 0) return {};
  std::string instructions(count * sizeof(sock_filter), '\0');
  if (::getsockopt(fd, SOL_SOCKET, SO_GET_FILTER, instructions.data(), &count) != 0) return {};
  return instructions;
}

std::vector<std::uint32_t> memberships(int fd) {
  socklen_t size = 0;
  if (::getsockopt(fd, SOL_NETLINK, NETLINK_LIST_MEMBERSHIPS, nullptr, &size) != 0) return {};
  std::vector<std::uint32_t> words(size / sizeof(std::uint32_t));
  if (::getsockopt(fd, SOL_NETLINK, NETLINK_LIST_MEMBERSHIPS, words.data(), &size) != 0) return {};
  return groups_in(words);
}

using NameCall = int (*)(int, sockaddr*, socklen_t*);

sockaddr_nl address_of(int fd, NameCall call) {
  sockaddr_nl name{};
  socklen_t size = sizeof name;
  (void)call(fd, reinterpret_cast<sockaddr*>(&name), &size);
  return name;
}

std::string bytes_of(const sockaddr_nl& name) {
  return {reinterpret_cast<const char*>(&name), sizeof name};
}

}  // namespace

NetlinkFacts read_netlink_facts(int fd) {
  NetlinkFacts facts;
  pollfd look{fd, POLLIN, 0};
  (void)::poll(&look, 1, 0);
  facts.has_unread = (look.revents & POLLIN) != 0;
  facts.has_error = (look.revents & POLLERR) != 0;
  socklen_t count = 0;  // the kernel does not return filters that are not classic ones
  facts.has_unknown_filter = ::getsockopt(fd, SOL_SOCKET, SO_GET_FILTER, nullptr, &count) != 0;
  return facts;
}

std::string netlink_trouble(const NetlinkFacts& facts) {
  if (facts.has_unread) return "it has unread messages";
  if (facts.has_error) return "it has a pending error";
  if (facts.has_unknown_filter) return "it has a socket filter";
  return {};
}

std::vector<std::uint32_t> groups_in(const std::vector<std::uint32_t>& words) {
  std::vector<std::uint32_t> groups;
  for (std::uint32_t i = 0; i < words.size() * 32; ++i)
    if ((words[i / 32] >> (i % 32) & 1U) != 0) groups.push_back(i + 1);
  return groups;
}

void capture_netlink(int fd, SocketImage& socket) {
  sockaddr_nl name = address_of(fd, ::getsockname);
  name.nl_groups = 0;  // groups are joined one by one
  if (name.nl_pid != 0) socket.name = bytes_of(name);
  sockaddr_nl peer = address_of(fd, ::getpeername);
  if (peer.nl_pid != 0 || peer.nl_groups != 0) socket.peer = bytes_of(peer);
  socket.groups = memberships(fd);
  socket.filter = filter_of(fd);
}

Argument make_netlink(ProgramWriter& program, const SocketImage& socket, std::uint32_t flags) {
  Arena& arena = program.arena();
  program.about("making a netlink socket");
  unsigned type = static_cast<unsigned>(socket.type) | SOCK_CLOEXEC | (flags & O_NONBLOCK);
  Argument fd = program.keep(SYS_socket, {socket.family, type, socket.protocol});
  if (!socket.filter.empty()) {
    std::uint64_t at = arena.put(socket.filter.data(), socket.filter.size());
    sock_fprog filter{static_cast<unsigned short>(socket.filter.size() / sizeof(sock_filter)),
                      reinterpret_cast<sock_filter*>(at)};
    program.call(SYS_setsockopt,
                 {fd, SOL_SOCKET, SO_ATTACH_FILTER, arena.put_value(filter), sizeof filter});
  }
  for (const SocketOption& option : socket.options) set_option(program, fd, option);
  program.about("address of a netlink socket");
  auto address = [&](long call, const std::string& name) {
    if (!name.empty()) program.call(call, {fd, arena.put(name.data(), name.size()), name.size()});
  };
  address(SYS_bind, socket.name);
  for (std::uint32_t group : socket.groups)
    program.call(SYS_setsockopt,
                 {fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, arena.put_value(group), sizeof group});
  address(SYS_connect, socket.peer);
  return fd;
}

}  // namespace sf::waypoint::native
