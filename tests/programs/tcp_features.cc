// TCP connections in less common states: across address families, closed by one side, full both
// ways.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "feature.h"

namespace stateful {
namespace {

int option(int fd, int level, int name) {
  int value = 0;
  socklen_t size = sizeof value;
  must(::getsockopt(fd, level, name, &value, &size), "getsockopt");
  return value;
}

void set_option(int fd, int level, int name, int value) {
  must(::setsockopt(fd, level, name, &value, sizeof value), "setsockopt");
}

int listener_on(std::uint16_t port) {
  int fd = must(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
  set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1);
  set_option(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0);
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_port = htons(port);
  must(::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), "bind");
  must(::listen(fd, 5), "listen");
  return fd;
}

int connected_to(std::uint16_t port) {
  int fd = must(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  must(::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), "connect");
  return fd;
}

int accepted(int listener) {
  return must(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC), "accept");
}

void send_text(int fd, std::string_view text) {
  if (::send(fd, text.data(), text.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(text.size()))
    die("send");
}

std::string receive(int fd) {
  if (!readable(fd)) return "(nothing came)";
  char buffer[256];
  ssize_t got = ::recv(fd, buffer, sizeof buffer, 0);
  return got < 0 ? ::strerrorname_np(errno) : std::string(buffer, static_cast<std::size_t>(got));
}

// An IPv4 client of a dual-stack socket, with its options.
Probe across_families(const std::string&) {
  int listener = listener_on(7811);
  int client = connected_to(7811);
  int server = accepted(listener);
  set_option(server, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(client, SOL_SOCKET, SO_REUSEADDR, 1);
  send_text(client, "there");
  return [=](Answer& answer) {
    answer.say("there", receive(server));
    answer.say("room", option(server, SOL_SOCKET, SO_RCVBUF));
    send_text(client, "there");
    send_text(server, "back");
    answer.say("back", receive(client));
    answer.say("options", option(server, IPPROTO_TCP, TCP_NODELAY) * 10 +
                              option(client, SOL_SOCKET, SO_REUSEADDR));
    int newcomer = connected_to(7811);
    int another = accepted(listener);
    send_text(newcomer, "new");
    answer.say("newcomer", receive(another));
    ::close(newcomer);
    ::close(another);
  };
}

// The client has sent data and closed. The probe consumes the data.
Probe closed_by_the_client(const std::string&) {
  int listener = listener_on(7812);
  int client = connected_to(7812);
  int server = accepted(listener);
  send_text(client, "last words");
  ::close(client);
  pollfd end{server, POLLRDHUP, 0};
  if (must(::poll(&end, 1, 10'000), "poll") != 1) die("the end never came");
  return [=](Answer& answer) {
    answer.say("unread", receive(server));
    answer.say("then", receive(server));
  };
}

constexpr std::size_t kMuch = 90'000;

// Both buffers are full, and one side has called shutdown(). The probe consumes the data.
Probe full_both_ways(const std::string&) {
  int listener = listener_on(7813);
  int client = connected_to(7813);
  int server = accepted(listener);
  std::array<int, 2> ends = {client, server};
  for (std::size_t i = 0; i < 2; ++i) {
    set_option(ends[i], SOL_SOCKET, SO_SNDBUF, 128 << 10);
    set_option(ends[i], SOL_SOCKET, SO_RCVBUF, 32 << 10);
  }
  for (std::size_t i = 0; i < 2; ++i) {
    std::string bytes = pattern(kMuch, static_cast<unsigned>(31 + i));
    ssize_t n = ::send(ends[i], bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n != static_cast<ssize_t>(bytes.size())) die("send");
  }
  must(::shutdown(client, SHUT_WR), "shutdown");
  return [=](Answer& answer) {
    for (std::size_t i = 0; i < 2; ++i) {
      std::string all;
      char buffer[65536];
      // After a restore the sender may wait for its next probe of the closed window: the pauses
      // between probes grow.
      constexpr int kProbeTime = 60'000;
      while (all.size() < kMuch && readable(ends[1 - i], kProbeTime)) {
        ssize_t got = ::recv(ends[1 - i], buffer, sizeof buffer, 0);
        if (got <= 0) break;
        all.append(buffer, static_cast<std::size_t>(got));
      }
      answer.say("received", std::to_string(all.size()) + " " + hash_of(all));
    }
    answer.say("end", receive(server));
  };
}

int state_of(int fd) {
  tcp_info info{};
  socklen_t size = sizeof info;
  must(::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size), "TCP_INFO");
  return info.tcpi_state;
}

void await_state(int fd, int state) {
  for (int i = 0; i < 5000 && state_of(fd) != state; ++i) ::poll(nullptr, 0, 1);
  if (state_of(fd) != state) die("the connection does not end");
}

void describe(Answer& answer, const std::string& which, int fd) {
  pollfd look{fd, POLLIN | POLLOUT | POLLRDHUP, 0};
  must(::poll(&look, 1, 0), "poll");
  sockaddr_in6 name{};
  socklen_t size = sizeof name;
  must(::getsockname(fd, reinterpret_cast<sockaddr*>(&name), &size), "getsockname");
  answer.say(which, std::to_string(state_of(fd)) + " ready " + std::to_string(look.revents) +
                        " port " + std::to_string(ntohs(name.sin6_port)) + " reuse " +
                        std::to_string(option(fd, SOL_SOCKET, SO_REUSEADDR)));
  size = sizeof name;
  if (::getpeername(fd, reinterpret_cast<sockaddr*>(&name), &size) != 0)
    answer.say("peer", ::strerrorname_np(errno));
  char buffer[64];
  ssize_t got = ::recv(fd, buffer, sizeof buffer, MSG_DONTWAIT);
  answer.say("receive", got < 0 ? ::strerrorname_np(errno)
                                : std::string(buffer, static_cast<std::size_t>(got)));
  answer.say("send", ::send(fd, "x", 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? ::strerrorname_np(errno)
                                                                         : "worked");
}

// Reset by the peer; closed by both sides with unread data; bound only; fresh. The probe consumes
// the unread data.
Probe ended(const std::string&) {
  int listener = listener_on(7814);
  int reset = connected_to(7814);
  int server = accepted(listener);
  linger at_once{1, 0};
  must(::setsockopt(server, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once), "SO_LINGER");
  ::close(server);
  await_state(reset, TCP_CLOSE);
  char byte = 0;
  if (::recv(reset, &byte, 1, 0) != -1 || errno != ECONNRESET) die("no reset came");
  int client = connected_to(7814);
  server = accepted(listener);
  set_option(server, SOL_SOCKET, SO_REUSEADDR, 1);
  send_text(client, "last words");
  ::close(client);
  await_state(server, TCP_CLOSE_WAIT);
  must(::shutdown(server, SHUT_WR), "shutdown");
  await_state(server, TCP_CLOSE);
  int bound = must(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_port = htons(7815);
  must(::bind(bound, reinterpret_cast<const sockaddr*>(&address), sizeof address), "bind");
  int fresh = must(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
  return [=](Answer& answer) {
    describe(answer, "closed by both", server);
    describe(answer, "again", server);
    describe(answer, "bound", bound);
    describe(answer, "fresh", fresh);
    pollfd look{reset, POLLIN | POLLOUT | POLLRDHUP, 0};
    must(::poll(&look, 1, 0), "poll");
    answer.say("reset", std::to_string(look.revents) + " " + receive(reset));
    must(::listen(bound, 1), "listen");
    int newcomer = connected_to(7815);
    int another = accepted(bound);
    send_text(newcomer, "new");
    answer.say("newcomer", receive(another));
    int later = connected_to(7814);
    answer.say("the listener", accepted(listener) > later ? "works" : "fails");
  };
}

// Three connections wait to be accepted, in another order than their sockets were made; one is IPv6
// and has called shutdown(SHUT_WR). The probe accepts them.
Probe not_accepted(const std::string&) {
  int listener = listener_on(7816);
  int late = must(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
  int first = connected_to(7816);
  sockaddr_in6 there{};
  there.sin6_family = AF_INET6;
  there.sin6_port = htons(7816);
  there.sin6_addr = in6addr_loopback;
  int second = must(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
  must(::connect(second, reinterpret_cast<const sockaddr*>(&there), sizeof there), "connect");
  must(::shutdown(second, SHUT_WR), "shutdown");
  await_state(second, TCP_FIN_WAIT2);
  ::poll(nullptr, 0, 60);  // ensures the order of the connections
  sockaddr_in old{};
  old.sin_family = AF_INET;
  old.sin_port = htons(7816);
  old.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  must(::connect(late, reinterpret_cast<const sockaddr*>(&old), sizeof old), "connect");
  set_option(late, IPPROTO_TCP, TCP_NODELAY, 1);
  return [=](Answer& answer) {
    for (int client : {first, second, late}) {
      int server = accepted(listener);
      sockaddr_in6 from{};
      sockaddr_in6 name{};
      socklen_t size = sizeof from;
      must(::getpeername(server, reinterpret_cast<sockaddr*>(&from), &size), "getpeername");
      size = sizeof name;
      must(::getsockname(client, reinterpret_cast<sockaddr*>(&name), &size), "getsockname");
      answer.say("is its own", from.sin6_port == name.sin6_port ? "yes" : "no");
      send_text(server, "welcome");
      answer.say("client", receive(client) + " " + std::to_string(state_of(client)) + " " +
                               std::to_string(option(client, IPPROTO_TCP, TCP_NODELAY)));
      if (client == second) answer.say("end", receive(server));
      if (client == second) continue;
      send_text(client, "thanks");
      answer.say("server", receive(server));
    }
  };
}

// The sent data of an unaccepted connection cannot be read from outside.
Probe not_accepted_with_data(const std::string&) {
  int listener = listener_on(7817);
  int client = connected_to(7817);
  send_text(client, "request");
  return [=](Answer& answer) {
    answer.say("ready", readable(listener) ? "yes" : "no");
    answer.say("client", state_of(client));
  };
}

Probe odd_socket(int family, int type, int protocol) {
  int fd = must(::socket(family, type | SOCK_CLOEXEC, protocol), "socket");
  return [=](Answer& answer) { answer.say("kind", option(fd, SOL_SOCKET, SO_TYPE)); };
}

}  // namespace

std::vector<Feature> tcp_features() {
  return {{"tcp-across-families", across_families},
          {"tcp-closed-by-the-client", closed_by_the_client},
          {"tcp-full-both-ways", full_both_ways},
          {"tcp-ended", ended},
          {"tcp-not-accepted", not_accepted},
          {"tcp-not-accepted-with-data", not_accepted_with_data},
          {"raw-socket",
           [](const std::string&) { return odd_socket(AF_INET, SOCK_RAW, IPPROTO_ICMP); }},
          {"packet-socket", [](const std::string&) { return odd_socket(AF_PACKET, SOCK_RAW, 0); }}};
}

}  // namespace stateful
