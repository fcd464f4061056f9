// TCP connections in less usual states: across families, closed by one side, full both ways.
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

// A client of the old family at a socket of both, with its options.
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

// The client has sent something and gone. This probe takes it.
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

// Both have filled what the other can take, and one has said that this is all. The probe takes it.
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
      while (all.size() < kMuch && readable(ends[1 - i])) {
        ssize_t got = ::recv(ends[1 - i], buffer, sizeof buffer, 0);
        if (got <= 0) break;
        all.append(buffer, static_cast<std::size_t>(got));
      }
      answer.say("received", std::to_string(all.size()) + " " + hash_of(all));
    }
    answer.say("end", receive(server));
  };
}

}  // namespace

std::vector<Feature> tcp_features() {
  return {{"tcp-across-families", across_families},
          {"tcp-closed-by-the-client", closed_by_the_client},
          {"tcp-full-both-ways", full_both_ways}};
}

}  // namespace stateful
