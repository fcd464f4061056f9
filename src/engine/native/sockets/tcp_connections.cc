#include "engine/native/sockets/tcp_connections.h"

#include <fcntl.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "base/scope_exit.h"
#include "engine/native/sockets/internet_sockets.h"
#include "os/error.h"

namespace sf::waypoint::native {
namespace {

constexpr int kRepairQuietly = -1;  // TCP_REPAIR_OFF_NO_WP
constexpr int kReceiveQueue = 1;
constexpr int kSendQueue = 2;
constexpr int kBufferLock = 72;  // SO_BUF_LOCK
constexpr std::size_t kChunk = 32U << 10U;
enum State { kEstablished = 1, kFinWait1 = 4, kFinWait2 = 5, kClosed = 7, kCloseWait = 8 };
enum Negotiated : std::uint8_t { kTimestamps = 1, kSack = 2, kScaling = 4 };  // TCPI_OPT_...

using NameCall = int (*)(int, sockaddr*, socklen_t*);

std::string address_of(int fd, NameCall call) {
  sockaddr_storage location{};
  socklen_t size = sizeof location;
  if (call(fd, reinterpret_cast<sockaddr*>(&location), &size) != 0) return {};
  return {reinterpret_cast<const char*>(&location), size};
}

struct Location {
  std::array<unsigned char, 16> address{};
  std::uint16_t port = 0;
  bool operator==(const Location&) const = default;
};

std::optional<Location> location_of(const std::string& bytes) {
  Location location;
  sockaddr_in old{};
  sockaddr_in6 now{};
  if (bytes.size() >= sizeof old) std::memcpy(&old, bytes.data(), sizeof old);
  if (old.sin_family == AF_INET) {
    location.address[10] = location.address[11] = 0xff;
    std::memcpy(&location.address[12], &old.sin_addr, 4);
    location.port = old.sin_port;
    return location;
  }
  if (old.sin_family != AF_INET6 || bytes.size() < sizeof now) return std::nullopt;
  std::memcpy(&now, bytes.data(), sizeof now);
  std::memcpy(location.address.data(), &now.sin6_addr, 16);
  location.port = now.sin6_port;
  return location;
}

bool has_sent_end(const TcpImage& tcp) { return tcp.state == kFinWait1 || tcp.state == kFinWait2; }
bool has_got_end(const TcpImage& tcp) { return tcp.state == kCloseWait; }
// The sequence number after the last byte, without the FIN's.
std::uint32_t sent_to(const TcpImage& tcp) {
  return tcp.send_number - (has_sent_end(tcp) ? 1U : 0U);
}
std::uint32_t received_to(const TcpImage& tcp) {
  return tcp.receive_number - (has_got_end(tcp) ? 1U : 0U);
}

template <typename T>
bool get(int fd, int name, T& value, int level = IPPROTO_TCP) {
  socklen_t size = sizeof value;
  return ::getsockopt(fd, level, name, &value, &size) == 0;
}
bool set(int fd, int name, int value, int level = IPPROTO_TCP) {
  return ::setsockopt(fd, level, name, &value, sizeof value) == 0;
}

Status read_queue(int fd, int queue, int size_request, std::uint32_t& number, std::string& bytes) {
  int size = 0;
  if (!set(fd, TCP_REPAIR_QUEUE, queue) || !get(fd, TCP_QUEUE_SEQ, number) ||
      ::ioctl(fd, static_cast<unsigned long>(size_request), &size) != 0)
    return os::last_error("looking into a connection");
  bytes.resize(static_cast<std::size_t>(size));
  if (size == 0) return Ok{};
  ssize_t n = ::recv(fd, bytes.data(), bytes.size(), MSG_PEEK | MSG_DONTWAIT);
  if (n < 0 && errno != EAGAIN) return os::last_error("looking into a connection");
  bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
  return Ok{};
}

class ConnectionWriter {
 public:
  ConnectionWriter(ProgramWriter& program, const TreeImage& tree, const FdLocations& locations)
      : program_(program), arena_(program.arena()), tree_(tree), locations_(locations) {}

  void run() {
    std::vector<bool> done(tree_.files.size());
    for (std::size_t i = 0; i < tree_.files.size(); ++i) {
      if (!is_connection(i) || done[i]) continue;
      std::size_t other = peer_of(i);
      done[i] = true;
      if (other < tree_.files.size()) {
        done[other] = true;
        make_both(i, other);
      } else {
        make_with_nobody(i);
      }
    }
  }

 private:
  const SocketImage& socket(std::size_t i) const { return tree_.files[i].socket; }
  int location(std::size_t i) const { return locations_.first + static_cast<int>(i); }
  bool is_connection(std::size_t i) const {
    return tree_.files[i].kind == FileKind::kSocket && socket(i).tcp.state != 0 &&
           socket(i).tcp.state != kClosed && socket(i).tcp.turn == 0;
  }
  std::size_t peer_of(std::size_t i) const {
    for (std::size_t j = 0; j < tree_.files.size(); ++j) {
      if (j != i && is_connection(j) && is_same_location(socket(i).name, socket(j).peer) &&
          is_same_location(socket(i).peer, socket(j).name))
        return j;
    }
    return tree_.files.size();
  }

  void option(int fd, int name, int value, int level = IPPROTO_TCP) {
    program_.call(SYS_setsockopt, {fd, level, name, arena_.put_value(value), sizeof value});
  }
  void address(long call, int fd, const std::string& name) {
    program_.call(call, {fd, arena_.put(name.data(), name.size()), name.size()});
  }

  // Creates the socket in repair mode, with these sequence numbers at its start.
  void begin(int fd, const SocketImage& s, std::uint32_t sends, std::uint32_t receives) {
    program_.about("making a connection");
    Argument made = program_.keep(
        SYS_socket, {s.family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP});
    program_.call(SYS_dup3, {made, fd, O_CLOEXEC});
    program_.call(SYS_close, {made});
    option(fd, TCP_REPAIR, 1);
    if (s.family == AF_INET6) option(fd, IPV6_V6ONLY, 0, SOL_IPV6);
    program_.about("address of a connection");
    address(SYS_bind, fd, s.name);
    program_.about("numbers of a connection");
    option(fd, TCP_REPAIR_QUEUE, kSendQueue);
    option(fd, TCP_QUEUE_SEQ, static_cast<int>(sends));
    option(fd, TCP_REPAIR_QUEUE, kReceiveQueue);
    option(fd, TCP_QUEUE_SEQ, static_cast<int>(receives));
    program_.about("connecting");
    address(SYS_connect, fd, s.peer);
    negotiate(fd, s.tcp);
  }

  void negotiate(int fd, const TcpImage& tcp) {
    std::vector<tcp_repair_opt> options;
    if ((tcp.negotiated & kScaling) != 0)
      options.push_back({3, tcp.send_scale | static_cast<__u32>(tcp.receive_scale) << 16U});
    if ((tcp.negotiated & kSack) != 0) options.push_back({4, 0});
    if ((tcp.negotiated & kTimestamps) != 0) options.push_back({8, 0});
    if (tcp.segment != 0) options.push_back({2, tcp.segment});
    program_.about("options of a connection");
    program_.call(SYS_setsockopt, {fd, IPPROTO_TCP, TCP_REPAIR_OPTIONS,
                                   arena_.put(options.data(), options.size() * sizeof options[0]),
                                   options.size() * sizeof options[0]});
    if ((tcp.negotiated & kTimestamps) != 0)
      option(fd, TCP_TIMESTAMP, static_cast<int>(tcp.timestamp));
  }

  void fill(int fd, const std::string& bytes, int flags) {
    for (std::size_t done = 0; done < bytes.size(); done += kChunk) {
      std::size_t size = std::min(kChunk, bytes.size() - done);
      program_.call_exactly(static_cast<long>(size), SYS_sendto,
                            {fd, arena_.put(bytes.data() + done, size), size, flags, 0, 0});
    }
  }

  void make_room(int fd, int name, std::size_t size) {
    if (size > 0) option(fd, name, static_cast<int>(2 * size + (256U << 10U)), SOL_SOCKET);
  }

  // Restores unread data. `may_send`: how much this end may send.
  void receive(int fd, const TcpImage& tcp, std::uint32_t may_send) {
    program_.about("unread data of a connection");
    make_room(fd, SO_RCVBUFFORCE, tcp.unread.size());
    option(fd, TCP_REPAIR_QUEUE, kReceiveQueue);
    fill(fd, tcp.unread, MSG_NOSIGNAL);
    program_.about("window of a connection");
    tcp_repair_window window{};
    window.snd_wl1 = received_to(tcp);
    window.snd_wnd = may_send;
    window.max_window = std::max(tcp.window[2], may_send);
    window.rcv_wnd = tcp.window[3];
    window.rcv_wup = received_to(tcp);
    program_.call(SYS_setsockopt,
                  {fd, IPPROTO_TCP, TCP_REPAIR_WINDOW, arena_.put_value(window), sizeof window});
  }

  void leave_repair(int fd) {
    program_.about("opening a connection");
    option(fd, TCP_REPAIR, kRepairQuietly);
  }

  void make_both(std::size_t i, std::size_t j) {
    for (auto [one, other] : {std::pair(i, j), std::pair(j, i)}) {
      const TcpImage& tcp = socket(one).tcp;
      begin(location(one), socket(one), received_to(socket(other).tcp),
            received_to(tcp) - static_cast<std::uint32_t>(tcp.unread.size()));
    }
    receive(location(i), socket(i).tcp, socket(j).tcp.window[3]);
    receive(location(j), socket(j).tcp, socket(i).tcp.window[3]);
    leave_repair(location(i));
    leave_repair(location(j));
    finish(i, not_received(socket(i).tcp, socket(j).tcp));
    finish(j, not_received(socket(j).tcp, socket(i).tcp));
  }

  void make_with_nobody(std::size_t i) {
    const SocketImage& s = socket(i);
    SocketImage nobody = s;
    std::swap(nobody.name, nobody.peer);
    const std::uint32_t sends =
        sent_to(s.tcp) - static_cast<std::uint32_t>(s.tcp.unacknowledged.size());
    begin(location(i), s, sends,
          received_to(s.tcp) - static_cast<std::uint32_t>(s.tcp.unread.size()));
    begin(locations_.helper, nobody, received_to(s.tcp), sends);
    receive(location(i), s.tcp, s.tcp.window[1]);
    nobody.tcp.state = kEstablished;
    nobody.tcp.unread.clear();
    nobody.tcp.receive_number = sends;
    nobody.tcp.window[3] = s.tcp.window[1];
    receive(locations_.helper, nobody.tcp, std::max(s.tcp.window[3], 1U));  // room for the FIN
    leave_repair(location(i));
    leave_repair(locations_.helper);
    finish(i, s.tcp.unacknowledged);
    program_.call(SYS_close, {locations_.helper});
  }

  void finish(std::size_t i, const std::string& unsent) {
    const FileImage& file = tree_.files[i];
    const TcpImage& tcp = file.socket.tcp;
    program_.about("unsent data of a connection");
    make_room(location(i), SO_SNDBUFFORCE, unsent.size());
    fill(location(i), unsent, MSG_NOSIGNAL | MSG_DONTWAIT);
    program_.about("shutting a connection");
    if (has_sent_end(tcp)) program_.call(SYS_shutdown, {location(i), SHUT_WR});
    program_.about("options of a connection");
    for (const SocketOption& each : file.socket.options) set_option(program_, location(i), each);
    program_.try_call(SYS_setsockopt, {location(i), SOL_SOCKET, kBufferLock,
                                       arena_.put_value(tcp.buffer_lock), sizeof(int)});
    program_.call(SYS_fcntl, {location(i), F_SETFL, file.flags});
  }

  ProgramWriter& program_;
  Arena& arena_;
  const TreeImage& tree_;
  const FdLocations& locations_;
};

}  // namespace

bool is_same_location(const std::string& one, const std::string& other) {
  auto location = location_of(one);
  return location && location == location_of(other);
}

bool listens_at(const std::string& listener, const std::string& location) {
  auto from = location_of(listener);
  auto to = location_of(location);
  if (!from || !to || from->port != to->port) return false;
  sockaddr_in old{};
  std::memcpy(&old, listener.data(), sizeof old);
  bool is_old = old.sin_family == AF_INET;
  Location anywhere;
  if (is_old) anywhere.address[10] = anywhere.address[11] = 0xff;
  anywhere.port = from->port;
  if (*from != anywhere) return *from == *to;
  return !is_old || (to->address[10] == 0xff && to->address[11] == 0xff);
}

TcpFacts read_tcp_facts(int fd, int state) {
  TcpFacts facts;
  facts.state = state;
  facts.name = address_of(fd, ::getsockname);
  facts.peer = address_of(fd, ::getpeername);
  pollfd look{fd, POLLIN | POLLPRI, 0};
  (void)::poll(&look, 1, 0);
  facts.is_readable = (look.revents & POLLIN) != 0;
  facts.has_urgent = (look.revents & POLLPRI) != 0;
  char protocol[32] = {};
  socklen_t size = sizeof protocol;
  facts.has_protocol = ::getsockopt(fd, IPPROTO_TCP, TCP_ULP, protocol, &size) == 0 && size > 0 &&
                       protocol[0] != '\0';
  facts.client = read_client_facts(fd);
  return facts;
}

void tie_connections(const std::vector<SocketFacts*>& sockets) {
  for (SocketFacts* one : sockets) {
    one->tcp.has_peer = std::ranges::any_of(sockets, [&](const SocketFacts* other) {
      return !one->tcp.peer.empty() && !other->tcp.peer.empty() &&
             is_same_location(one->tcp.name, other->tcp.peer) &&
             is_same_location(one->tcp.peer, other->tcp.name);
    });
  }
}

std::string tcp_trouble(const TcpFacts& tcp) {
  if (tcp.state == kClosed) return {};  // it never was connected, or it has ended
  if (tcp.state != kEstablished && tcp.state != kFinWait1 && tcp.state != kFinWait2 &&
      tcp.state != kCloseWait)
    return "it is a connection that is being opened or closed";
  if (tcp.has_urgent) return "it has urgent data";
  if (tcp.has_protocol) return "it has an upper layer protocol (TCP_ULP)";
  if (!tcp.has_peer && tcp.state != kCloseWait && tcp.turn == 0)
    return "it is a connection to a peer outside the branch";
  return {};
}

Result<TcpImage> capture_connection(int fd, const TcpFacts& facts) {
  TcpImage tcp;
  tcp_info info{};
  int reuse = 0;
  if (!get(fd, TCP_INFO, info) || !get(fd, SO_REUSEADDR, reuse, SOL_SOCKET))
    return os::last_error("looking at a connection");
  (void)get(fd, kBufferLock, tcp.buffer_lock, SOL_SOCKET);
  if (!set(fd, TCP_REPAIR, 1)) return os::last_error("looking at a connection");
  ScopeExit leave([&] {
    (void)set(fd, TCP_REPAIR, kRepairQuietly);
    (void)set(fd, SO_REUSEADDR, reuse, SOL_SOCKET);  // repair mode resets it
  });
  tcp.state = static_cast<std::uint32_t>(facts.state);
  tcp.turn = facts.turn;
  tcp.negotiated = info.tcpi_options;
  tcp.send_scale = info.tcpi_snd_wscale;
  tcp.receive_scale = info.tcpi_rcv_wscale;
  SF_TRY(read_queue(fd, kReceiveQueue, SIOCINQ, tcp.receive_number, tcp.unread));
  SF_TRY(read_queue(fd, kSendQueue, SIOCOUTQ, tcp.send_number, tcp.unacknowledged));
  int segment = 0;
  tcp_repair_window window{};
  if (!get(fd, TCP_MAXSEG, segment) || !get(fd, TCP_TIMESTAMP, tcp.timestamp) ||
      !get(fd, TCP_REPAIR_WINDOW, window))
    return os::last_error("looking at a connection");
  tcp.segment = static_cast<std::uint32_t>(segment);
  tcp.window = {window.snd_wl1, window.snd_wnd, window.max_window, window.rcv_wnd, window.rcv_wup};
  return tcp;
}

std::string not_received(const TcpImage& sender, const TcpImage& receiver) {
  const std::uint32_t first =
      sent_to(sender) - static_cast<std::uint32_t>(sender.unacknowledged.size());
  const std::uint32_t known = received_to(receiver) - first;
  if (known > sender.unacknowledged.size()) return {};
  return sender.unacknowledged.substr(known);
}

void open_connections(ProgramWriter& program, const TreeImage& tree, const FdLocations& locations) {
  ConnectionWriter(program, tree, locations).run();
}

}  // namespace sf::waypoint::native
