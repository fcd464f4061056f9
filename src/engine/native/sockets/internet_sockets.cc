#include "engine/native/sockets/internet_sockets.h"

#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "base/split.h"
#include "engine/native/ptrace/remote_fd.h"
#include "engine/native/sockets/datagrams.h"
#include "engine/native/sockets/ended_connections.h"
#include "os/error.h"
#include "os/file.h"

namespace sf::waypoint::native {
namespace {

struct Option {
  int level;
  int name;
};

constexpr int kPassPidfd = 76;   // SO_PASSPIDFD
constexpr int kPassRights = 83;  // SO_PASSRIGHTS

// Set in this order. getsockopt() returns buffer sizes doubled.
constexpr Option kOptions[] = {
    {SOL_SOCKET, SO_REUSEADDR},
    {SOL_SOCKET, SO_REUSEPORT},
    {SOL_SOCKET, SO_KEEPALIVE},
    {SOL_SOCKET, SO_BROADCAST},
    {SOL_SOCKET, SO_OOBINLINE},
    {SOL_SOCKET, SO_LINGER},
    {SOL_SOCKET, SO_SNDBUF},
    {SOL_SOCKET, SO_RCVBUF},
    {SOL_SOCKET, SO_PRIORITY},
    {SOL_SOCKET, SO_RCVLOWAT},
    {SOL_SOCKET, SO_RCVTIMEO},
    {SOL_SOCKET, SO_SNDTIMEO},
    {SOL_SOCKET, SO_MARK},
    {SOL_SOCKET, SO_TIMESTAMP},
    {SOL_SOCKET, SO_DONTROUTE},
    {SOL_SOCKET, SO_NO_CHECK},
    {SOL_SOCKET, SO_PASSCRED},
    {SOL_SOCKET, SO_PASSSEC},
    {SOL_SOCKET, kPassPidfd},
    {SOL_SOCKET, kPassRights},
    {SOL_SOCKET, SO_PEEK_OFF},
    {SOL_NETLINK, NETLINK_PKTINFO},
    {SOL_NETLINK, NETLINK_BROADCAST_ERROR},
    {SOL_NETLINK, NETLINK_NO_ENOBUFS},
    {SOL_NETLINK, NETLINK_LISTEN_ALL_NSID},
    {SOL_NETLINK, NETLINK_CAP_ACK},
    {SOL_NETLINK, NETLINK_EXT_ACK},
    {SOL_NETLINK, NETLINK_GET_STRICT_CHK},
    {SOL_IP, IP_TOS},
    {SOL_IP, IP_TTL},
    {SOL_IP, IP_FREEBIND},
    {SOL_IP, IP_TRANSPARENT},
    {SOL_IP, IP_PKTINFO},
    {SOL_IP, IP_RECVERR},
    {SOL_IP, IP_MULTICAST_TTL},
    {SOL_IP, IP_MULTICAST_LOOP},
    {SOL_IP, IP_MTU_DISCOVER},
    {SOL_IPV6, IPV6_V6ONLY},
    {SOL_IPV6, IPV6_RECVPKTINFO},
    {SOL_IPV6, IPV6_UNICAST_HOPS},
    {SOL_IPV6, IPV6_RECVERR},
    {SOL_TCP, TCP_NODELAY},
    {SOL_TCP, TCP_MAXSEG},
    {SOL_TCP, TCP_CORK},
    {SOL_TCP, TCP_KEEPIDLE},
    {SOL_TCP, TCP_KEEPINTVL},
    {SOL_TCP, TCP_KEEPCNT},
    {SOL_TCP, TCP_SYNCNT},
    {SOL_TCP, TCP_DEFER_ACCEPT},
    {SOL_TCP, TCP_WINDOW_CLAMP},
    {SOL_TCP, TCP_USER_TIMEOUT},
    {SOL_TCP, TCP_FASTOPEN},
    {SOL_TCP, TCP_CONGESTION},
};
constexpr std::size_t kMaxValue = 64;

template <typename T>
T option_of(int fd, int level, int name, T missing) {
  T value = missing;
  socklen_t size = sizeof value;
  return ::getsockopt(fd, level, name, &value, &size) == 0 ? value : missing;
}

std::string bytes_of(int fd, const Option& option) {
  std::string value(kMaxValue, '\0');
  socklen_t size = kMaxValue;
  if (::getsockopt(fd, option.level, option.name, value.data(), &size) != 0) return {};
  value.resize(size);
  return value;
}

using NameCall = int (*)(int, sockaddr*, socklen_t*);

std::string address_of(int fd, NameCall call) {
  sockaddr_storage location{};
  socklen_t size = sizeof location;
  if (call(fd, reinterpret_cast<sockaddr*>(&location), &size) != 0) return {};
  return {reinterpret_cast<const char*>(&location), size};
}

// The port has the same offset in both families.
bool is_bound(const std::string& address) {
  sockaddr_in name{};
  if (address.size() < sizeof name) return false;
  std::memcpy(&name, address.data(), sizeof name);
  return name.sin_port != 0;
}

// The file does not exist if the network lacks the address family.
std::string text_of(const std::string& path) {
  auto text = os::read_file(path);
  return text ? std::move(*text) : std::string();
}

Status capture_internet(int fd, const SocketFacts& facts, SocketImage& socket) {
  socket.listens = facts.listens ? 1 : 0;
  socket.backlog = facts.backlog;
  std::string name = address_of(fd, ::getsockname);
  if (is_bound(name)) socket.name = std::move(name);
  if (facts.has_peer) socket.peer = address_of(fd, ::getpeername);
  if (facts.protocol == IPPROTO_TCP && facts.has_peer) {
    SF_TRY_ASSIGN(socket.tcp, capture_connection(fd, facts.tcp));
  }
  if (facts.protocol == IPPROTO_TCP && has_ended(facts.tcp)) {
    SF_TRY_ASSIGN(socket.tcp, capture_ended(fd));
  }
  socket.datagrams = facts.datagrams;
  if (!socket.datagrams.empty()) socket.receive_buffer = option_of(fd, SOL_SOCKET, SO_RCVBUF, 0);
  return Ok{};
}

}  // namespace

void set_option(ProgramWriter& program, Argument fd, const SocketOption& option) {
  std::string value = option.value;
  int name = option.name;
  if (option.level == SOL_SOCKET && (name == SO_SNDBUF || name == SO_RCVBUF) &&
      value.size() == sizeof(int)) {
    int size = 0;
    std::memcpy(&size, value.data(), sizeof size);
    size /= 2;
    std::memcpy(value.data(), &size, sizeof size);
    name = name == SO_SNDBUF ? SO_SNDBUFFORCE : SO_RCVBUFFORCE;
  }
  program.about("option " + std::to_string(option.level) + "/" + std::to_string(option.name) +
                " of a socket");
  program.call(SYS_setsockopt, {fd, option.level, name,
                                program.arena().put(value.data(), value.size()), value.size()});
}

bool names_joined_groups(const std::string& igmp, const std::string& igmp6) {
  constexpr std::string_view kAllHosts = "010000E0";
  for (const std::string& line : split(igmp, '\n')) {
    const std::size_t begin = line.find_first_not_of('\t');
    if (begin == 0 || begin == std::string::npos) continue;  // a line of an interface
    if (line.compare(begin, kAllHosts.size(), kAllHosts) != 0) return true;
  }
  // The all-nodes groups of the link and of the interface.
  constexpr std::string_view kAllNodes[] = {"ff020000000000000000000000000001",
                                            "ff010000000000000000000000000001"};
  for (const std::string& line : split(igmp6, '\n')) {
    if (line.empty()) continue;
    if (std::ranges::none_of(kAllNodes, [&](std::string_view group) {
          return line.find(group) != std::string::npos;
        }))
      return true;
  }
  return false;
}

Result<SocketFacts> read_socket_facts(pid_t pid, int fd) {
  SocketFacts facts;
  facts.family = option_of(fd, SOL_SOCKET, SO_DOMAIN, -1);
  facts.type = option_of(fd, SOL_SOCKET, SO_TYPE, -1);
  facts.protocol = option_of(fd, SOL_SOCKET, SO_PROTOCOL, -1);
  facts.listens = option_of(fd, SOL_SOCKET, SO_ACCEPTCONN, 0) != 0;
  socklen_t filter = 0;  // number of instructions
  facts.has_filter =
      ::getsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, nullptr, &filter) == 0 && filter > 0;
  if (facts.family == AF_UNIX) {
    facts.local = read_unix_facts(fd, "/proc/" + std::to_string(pid) + "/root");
    return facts;
  }
  if (facts.family == AF_NETLINK) {
    facts.netlink = read_netlink_facts(fd);
    return facts;
  }
  facts.has_peer = !address_of(fd, ::getpeername).empty();
  if (facts.protocol != IPPROTO_TCP) {
    const std::string net = "/proc/" + std::to_string(pid) + "/net/";
    facts.may_have_groups = names_joined_groups(text_of(net + "igmp"), text_of(net + "igmp6"));
    pollfd look{fd, POLLIN, 0};  // consumes neither datagrams nor errors
    (void)::poll(&look, 1, 0);
    facts.has_error = (look.revents & POLLERR) != 0;
    facts.name = address_of(fd, ::getsockname);
    if ((look.revents & POLLIN) != 0 && !facts.has_error && facts.protocol == IPPROTO_UDP)
      facts.datagrams = read_datagrams(fd);
    (void)::ioctl(fd, SIOCOUTQ, &facts.unsent);
    return facts;
  }
  auto info = option_of(fd, SOL_TCP, TCP_INFO, tcp_info{});
  facts.tcp_state = info.tcpi_state;
  if (facts.tcp_state != TCP_LISTEN) facts.tcp = read_tcp_facts(fd, facts.tcp_state);
  if (facts.tcp_state == TCP_LISTEN) facts.name = address_of(fd, ::getsockname);
  pollfd look{fd, 0, 0};
  facts.has_error = ::poll(&look, 1, 0) > 0 && (look.revents & POLLERR) != 0;
  facts.waiting = static_cast<int>(info.tcpi_unacked);
  facts.backlog = static_cast<int>(info.tcpi_sacked);
  return facts;
}

std::optional<std::string> socket_trouble(const SocketFacts& facts) {
  if (facts.family == AF_NETLINK) {
    std::string trouble = netlink_trouble(facts.netlink);
    return trouble.empty() ? std::nullopt : std::optional(trouble);
  }
  if (facts.family != AF_INET && facts.family != AF_INET6 && facts.family != AF_UNIX)
    return "the native engine supports only internet, Unix and netlink sockets";
  if (facts.has_filter) return "it has a socket filter";
  if (facts.family == AF_UNIX) return unix_trouble(facts.local);
  if (facts.has_error) return "it has a pending error";
  if (facts.type == SOCK_DGRAM && facts.protocol == IPPROTO_UDP) {
    if (facts.unsent != 0) return "it has unsent datagrams";
    if (facts.may_have_groups) return "it may have joined a multicast group";
    std::string trouble = datagram_trouble(facts.datagrams, facts.shares_port);
    return trouble.empty() ? std::nullopt : std::optional(trouble);
  }
  if (facts.type != SOCK_STREAM || facts.protocol != IPPROTO_TCP)
    return "the native engine does not support this kind of socket";
  if (facts.tcp_state == TCP_LISTEN)
    return facts.waiting == 0 || facts.knows_waiting
               ? std::nullopt
               : std::optional<std::string>(
                     "it has unaccepted connections that have sent data, or that come from outside "
                     "the branch");
  std::string trouble = tcp_trouble(facts.tcp);
  return trouble.empty() ? std::nullopt : std::optional(trouble);
}

Result<std::vector<SocketOption>> capture_options(int fd, const SocketFacts& facts) {
  os::UniqueFd fresh(::socket(facts.family, facts.type | SOCK_CLOEXEC, facts.protocol));
  if (!fresh.valid()) return os::last_error("making a socket to compare with");
  std::vector<SocketOption> options;
  for (const Option& option : kOptions) {
    if (facts.family == AF_UNIX && option.level != SOL_SOCKET) continue;
    // A connection reports negotiated values for these.
    bool is_connection = facts.protocol == IPPROTO_TCP && (facts.has_peer || has_ended(facts.tcp));
    if (is_connection && option.level == SOL_TCP &&
        (option.name == TCP_MAXSEG || option.name == TCP_WINDOW_CLAMP))
      continue;
    if (is_connection && option.level == SOL_IPV6 && option.name == IPV6_V6ONLY) continue;
    if (is_connection && option.level == SOL_IP && option.name == IP_MULTICAST_TTL) continue;
    std::string value = bytes_of(fd, option);
    // The restore enlarges a connection's buffers, so their sizes are always saved.
    bool is_buffer =
        option.level == SOL_SOCKET && (option.name == SO_SNDBUF || option.name == SO_RCVBUF);
    bool is_changed = is_connection && is_buffer;
    if (!is_changed && value == bytes_of(fresh.get(), option)) continue;
    options.push_back({option.level, option.name, value});
  }
  return options;
}

Result<SocketImage> capture_socket(pid_t pid, int number, const SocketFacts& facts) {
  SF_TRY_ASSIGN(os::UniqueFd fd, descriptor_of(pid, number));
  SocketImage socket;
  socket.family = facts.family;
  socket.type = facts.type;
  socket.protocol = facts.protocol;
  SF_TRY_ASSIGN(socket.options, capture_options(fd.get(), facts));
  if (facts.family == AF_NETLINK) {
    capture_netlink(fd.get(), socket);
  } else {
    SF_TRY(capture_internet(fd.get(), facts, socket));
  }
  return socket;
}

Argument make_socket(ProgramWriter& program, const SocketImage& socket, std::uint32_t flags) {
  Arena& arena = program.arena();
  program.about("making a socket");
  unsigned type = static_cast<unsigned>(socket.type) | SOCK_CLOEXEC | (flags & O_NONBLOCK);
  Argument fd = program.keep(SYS_socket, {socket.family, type, socket.protocol});
  program.about("options of a socket");
  for (const SocketOption& option : socket.options) set_option(program, fd, option);
  program.about("address of a socket");
  if (!socket.name.empty())
    program.call(SYS_bind,
                 {fd, arena.put(socket.name.data(), socket.name.size()), socket.name.size()});
  send_again(program, fd, socket);
  if (!socket.peer.empty())
    program.call(SYS_connect,
                 {fd, arena.put(socket.peer.data(), socket.peer.size()), socket.peer.size()});
  if (socket.listens != 0) program.call(SYS_listen, {fd, socket.backlog});
  return fd;
}

}  // namespace sf::waypoint::native
