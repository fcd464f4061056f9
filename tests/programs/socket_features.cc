// Sockets in the branch: pairs, Unix, TCP and UDP, with unread data.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>

#include "feature.h"

namespace stateful {
namespace {

void send_text(int fd, std::string_view text) {
  if (::send(fd, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) die("send");
}

// Reads the next message without consuming it.
std::string peek(int fd) {
  char buffer[4096];
  ssize_t got = ::recv(fd, buffer, sizeof buffer, MSG_PEEK | MSG_DONTWAIT);
  return got < 0 ? "(nothing)" : std::string(buffer, static_cast<std::size_t>(got));
}

std::string receive(int fd) {
  if (!readable(fd)) return "(nothing came)";
  char buffer[4096];
  ssize_t got = ::recv(fd, buffer, sizeof buffer, 0);
  return got < 0 ? "(error)" : std::string(buffer, static_cast<std::size_t>(got));
}

// Sends data both ways. Requires: both queues are empty, so that earlier unread data is not
// affected.
void talk(Answer& answer, int one, int other) {
  send_text(one, "to and");
  answer.say("there", receive(other));
  send_text(other, "fro");
  answer.say("back", receive(one));
}

Probe socket_pair(const std::string&) {
  int stream[2];
  int datagram[2];
  must(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, stream), "socketpair");
  must(::socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, datagram), "socketpair");
  send_text(stream[0], "unread in a stream");
  send_text(datagram[0], "message one");
  send_text(datagram[0], "message two");
  return [=](Answer& answer) {
    answer.say("stream", peek(stream[1]));
    std::string one = receive(datagram[1]);
    std::string two = receive(datagram[1]);
    answer.say("datagrams", one + ", " + two);
    send_text(datagram[0], one);
    send_text(datagram[0], two);
    send_text(stream[1], "answer");
    answer.say("other way", receive(stream[0]));
  };
}

struct UnixAddress {
  sockaddr_un address{};
  socklen_t size = 0;
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address); }
};

// A name that starts with '@' is abstract.
UnixAddress unix_address(const std::string& name) {
  UnixAddress result;
  result.address.sun_family = AF_UNIX;
  std::memcpy(result.address.sun_path, name.data(), name.size());
  if (name[0] == '@') result.address.sun_path[0] = '\0';
  std::size_t terminator = name[0] == '@' ? 0 : 1;
  result.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size() + terminator);
  return result;
}

Probe unix_stream(const std::string& name) {
  UnixAddress address = unix_address(name);
  int listener = must(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
  must(::bind(listener, address.get(), address.size), "bind");
  must(::listen(listener, 5), "listen");
  int client = must(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
  must(::connect(client, address.get(), address.size), "connect");
  int server = must(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC), "accept");
  return [=](Answer& answer) {
    talk(answer, client, server);
    int newcomer = must(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
    must(::connect(newcomer, address.get(), address.size), "connect again");
    int accepted = must(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC), "accept again");
    talk(answer, newcomer, accepted);
    ::close(newcomer);
    ::close(accepted);
  };
}

Probe unix_stream_path(const std::string& dir) { return unix_stream(dir + "/stream.sock"); }
Probe unix_stream_abstract(const std::string&) { return unix_stream("@sf-stream"); }

Probe unix_datagram(const std::string& name) {
  UnixAddress address = unix_address(name);
  int receiver = must(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), "socket");
  must(::bind(receiver, address.get(), address.size), "bind");
  int sender = must(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), "socket");
  must(::connect(sender, address.get(), address.size), "connect");
  send_text(sender, "unread datagram");
  return [=](Answer& answer) {
    answer.say("unread", peek(receiver));
    std::string first = receive(receiver);
    send_text(sender, "next");
    answer.say("next", receive(receiver));
    send_text(sender, first);
    int newcomer = must(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), "socket");
    answer.say("reachable", ::connect(newcomer, address.get(), address.size) == 0 ? 1 : 0);
    ::close(newcomer);
  };
}

Probe unix_datagram_path(const std::string& dir) { return unix_datagram(dir + "/datagram.sock"); }
Probe unix_datagram_abstract(const std::string&) { return unix_datagram("@sf-datagram"); }

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

const sockaddr* raw(const sockaddr_in& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

struct TcpConnection {
  int listener = -1;
  int client = -1;
  int server = -1;
};

TcpConnection connect_tcp(std::uint16_t port, int receive_buffer) {
  TcpConnection tcp;
  tcp.listener = must(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
  int yes = 1;
  must(::setsockopt(tcp.listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes), "SO_REUSEADDR");
  if (receive_buffer > 0) {
    must(::setsockopt(tcp.listener, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer),
         "SO_RCVBUF");
  }
  sockaddr_in address = loopback(port);
  must(::bind(tcp.listener, raw(address), sizeof address), "bind");
  must(::listen(tcp.listener, 5), "listen");
  tcp.client = must(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
  must(::connect(tcp.client, raw(address), sizeof address), "connect");
  tcp.server = must(::accept4(tcp.listener, nullptr, nullptr, SOCK_CLOEXEC), "accept");
  return tcp;
}

std::string address_of(int fd, int (*ask)(int, sockaddr*, socklen_t*)) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  must(ask(fd, reinterpret_cast<sockaddr*>(&address), &size), "socket name");
  char text[INET_ADDRSTRLEN];
  ::inet_ntop(AF_INET, &address.sin_addr, text, sizeof text);
  return std::string(text) + ":" + std::to_string(ntohs(address.sin_port));
}

Probe tcp_established(const std::string&) {
  TcpConnection tcp = connect_tcp(7801, 0);
  int yes = 1;
  must(::setsockopt(tcp.client, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes), "TCP_NODELAY");
  must(::setsockopt(tcp.client, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes), "SO_KEEPALIVE");
  return [=](Answer& answer) {
    answer.say("client", address_of(tcp.client, ::getsockname));
    answer.say("peer", address_of(tcp.client, ::getpeername));
    talk(answer, tcp.client, tcp.server);
    int value = 0;
    socklen_t size = sizeof value;
    must(::getsockopt(tcp.client, IPPROTO_TCP, TCP_NODELAY, &value, &size), "TCP_NODELAY");
    answer.say("nodelay", value);
    must(::getsockopt(tcp.client, SOL_SOCKET, SO_KEEPALIVE, &value, &size), "SO_KEEPALIVE");
    answer.say("keepalive", value);
  };
}

Probe tcp_with_unread_data(const std::string&) {
  TcpConnection tcp = connect_tcp(7802, 0);
  send_text(tcp.client, "this is not read yet");
  if (!readable(tcp.server)) die("data never came");
  return [=](Answer& answer) {
    answer.say("unread", peek(tcp.server));
    send_text(tcp.server, "answer");
    answer.say("other way", receive(tcp.client));
  };
}

constexpr std::size_t kBacklog = 160'000;

// The receiver's buffer is small and full, so most of the data is still with the sender. The probe
// consumes the data, so it runs only once.
Probe tcp_with_unsent_data(const std::string&) {
  TcpConnection tcp = connect_tcp(7803, 4096);
  int big = 1 << 20;
  must(::setsockopt(tcp.client, SOL_SOCKET, SO_SNDBUF, &big, sizeof big), "SO_SNDBUF");
  send_text(tcp.client, pattern(kBacklog, 21));
  int unsent = 0;
  must(::ioctl(tcp.client, TIOCOUTQ, &unsent), "TIOCOUTQ");
  if (unsent < 1000) die("nothing waits at the sender");
  return [=](Answer& answer) {
    std::string all;
    char buffer[65536];
    while (all.size() < kBacklog && readable(tcp.server)) {
      ssize_t got = ::recv(tcp.server, buffer, sizeof buffer, 0);
      if (got <= 0) break;
      all.append(buffer, static_cast<std::size_t>(got));
    }
    answer.say("bytes", static_cast<long>(all.size()));
    answer.say("hash", hash_of(all));
  };
}

// One side has called shutdown(SHUT_WR); the other can still send.
Probe tcp_half_closed(const std::string&) {
  TcpConnection tcp = connect_tcp(7804, 0);
  must(::shutdown(tcp.client, SHUT_WR), "shutdown");
  if (!readable(tcp.server)) die("FIN never came");
  return [=](Answer& answer) {
    char byte = 0;
    answer.say("end of file", ::recv(tcp.server, &byte, 1, MSG_DONTWAIT));
    send_text(tcp.server, "still");
    answer.say("other way", receive(tcp.client));
  };
}

Probe udp(const std::string&) {
  int receiver = must(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), "socket");
  sockaddr_in address = loopback(7805);
  must(::bind(receiver, raw(address), sizeof address), "bind");
  int sender = must(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), "socket");
  must(::connect(sender, raw(address), sizeof address), "connect");
  return [=](Answer& answer) {
    answer.say("sender", address_of(sender, ::getsockname));
    send_text(sender, "datagram");
    answer.say("received", receive(receiver));
  };
}

}  // namespace

std::vector<Feature> socket_features() {
  return {{"socketpair", socket_pair},
          {"unix-stream-path", unix_stream_path},
          {"unix-stream-abstract", unix_stream_abstract},
          {"unix-datagram-path", unix_datagram_path},
          {"unix-datagram-abstract", unix_datagram_abstract},
          {"tcp-established", tcp_established},
          {"tcp-with-unread-data", tcp_with_unread_data},
          {"tcp-with-unsent-data", tcp_with_unsent_data},
          {"tcp-half-closed", tcp_half_closed},
          {"udp", udp}};
}

}  // namespace stateful
