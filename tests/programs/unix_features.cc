// Unix sockets in less common states: closed or shut-down ends, peer credentials, senders of
// datagrams, connections that wait to be accepted.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>  // NOLINT: siginfo is POSIX
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "feature.h"

namespace stateful {
namespace {

using Pair = std::array<int, 2>;

Pair pair_of(int type) {
  Pair ends{};
  must(::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends.data()), "socketpair");
  return ends;
}

void send_text(int fd, std::string_view text) {
  if (::send(fd, text.data(), text.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(text.size()))
    die("send");
}

// Reads without consuming.
std::string peek(int fd) {
  char buffer[4096];
  ssize_t got = ::recv(fd, buffer, sizeof buffer, MSG_PEEK | MSG_DONTWAIT);
  if (got < 0) return "(" + std::string(::strerrorname_np(errno)) + ")";
  return std::string(buffer, static_cast<std::size_t>(got));
}

int events(int fd) {
  pollfd look{fd, POLLIN | POLLOUT | POLLRDHUP, 0};
  must(::poll(&look, 1, 0), "poll");
  return look.revents;
}

struct Name {
  sockaddr_un address{};
  socklen_t size = 0;
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address); }
};

Name name_of(const std::string& path) {
  Name name;
  name.address.sun_family = AF_UNIX;
  std::memcpy(name.address.sun_path, path.data(), path.size());
  name.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size() + 1);
  return name;
}

std::string text_of(const sockaddr_un& address, socklen_t size) {
  if (size <= offsetof(sockaddr_un, sun_path)) return "(none)";
  return address.sun_path;
}

std::string name_of_socket(int fd, int (*ask)(int, sockaddr*, socklen_t*)) {
  sockaddr_un address{};
  socklen_t size = sizeof address;
  if (ask(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) return ::strerrorname_np(errno);
  return text_of(address, size);
}

int bound(int type, const std::string& path) {
  int fd = must(::socket(AF_UNIX, type | SOCK_CLOEXEC, 0), "socket");
  Name name = name_of(path);
  must(::bind(fd, name.get(), name.size), "bind");
  return fd;
}

int connected(int type, const std::string& path) {
  int fd = must(::socket(AF_UNIX, type | SOCK_CLOEXEC, 0), "socket");
  Name name = name_of(path);
  must(::connect(fd, name.get(), name.size), "connect");
  return fd;
}

std::string maker(int fd) {
  ucred who{};
  socklen_t size = sizeof who;
  must(::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size), "SO_PEERCRED");
  return std::to_string(who.pid) + "/" + std::to_string(who.uid) + "/" + std::to_string(who.gid);
}

// Closed peers, with and without unread data, and ends that are shut down.
Probe closed_ends(const std::string&) {
  Pair gone = pair_of(SOCK_STREAM);
  send_text(gone[1], "last words");
  ::close(gone[1]);
  Pair reset = pair_of(SOCK_STREAM);
  send_text(reset[0], "never read");
  ::close(reset[1]);
  Pair half = pair_of(SOCK_STREAM);
  send_text(half[0], "before");
  must(::shutdown(half[0], SHUT_WR), "shutdown");
  Pair lonely = pair_of(SOCK_DGRAM);
  send_text(lonely[1], "one");
  send_text(lonely[1], "");
  ::close(lonely[1]);
  Pair packets = pair_of(SOCK_SEQPACKET);
  send_text(packets[1], "first");
  send_text(packets[1], "second");
  int offset = 5;
  must(::setsockopt(packets[0], SOL_SOCKET, SO_PEEK_OFF, &offset, sizeof offset), "SO_PEEK_OFF");
  must(::fcntl(packets[1], F_SETFL, O_NONBLOCK), "fcntl");
  return [=](Answer& answer) {
    answer.say("gone", peek(gone[0]) + " " + std::to_string(events(gone[0])));
    answer.say("reset", events(reset[0]));
    answer.say("half", peek(half[1]) + " " + std::to_string(events(half[0])) + " " +
                           std::to_string(events(half[1])));
    answer.say("lonely", peek(lonely[0]) + " " + std::to_string(events(lonely[0])));
    answer.say("packets", peek(packets[0]));
    must(::setsockopt(packets[0], SOL_SOCKET, SO_PEEK_OFF, &offset, sizeof offset), "SO_PEEK_OFF");
    answer.say("flags", must(::fcntl(packets[1], F_GETFL), "fcntl"));
  };
}

// A child of another user makes pairs, listens and connects, and then exits.
Probe peer_credentials(const std::string& dir) {
  std::string path = dir + "/peer.sock";
  Pair channel = pair_of(SOCK_STREAM);
  int listener = bound(SOCK_STREAM, path);
  must(::chmod(path.c_str(), 0777), "chmod");
  must(::listen(listener, 4), "listen");
  int client = must(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
  pid_t child = must(::fork(), "fork");
  if (child == 0) {
    Name name = name_of(path);
    must(::setgid(1234), "setgid");
    must(::setuid(4321), "setuid");
    must(::connect(client, name.get(), name.size), "connect");
    ::_exit(0);
  }
  must(::waitpid(child, nullptr, 0), "waitpid");
  int server = must(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC), "accept");
  return [=](Answer& answer) {
    answer.say("pair", maker(channel[0]));
    answer.say("server", maker(server));
    answer.say("client", maker(client));
    answer.say("listener", maker(listener));
    answer.say("names",
               name_of_socket(server, ::getsockname) + " " + name_of_socket(client, ::getpeername));
    struct stat info {};
    must(::stat(path.c_str(), &info), "stat");
    answer.say("mode", info.st_mode);
    answer.say("changed", info.st_mtim.tv_nsec);
  };
}

std::string next_datagram(int fd) {
  char buffer[256];
  sockaddr_un from{};
  socklen_t size = sizeof from;
  ssize_t got = ::recvfrom(fd, buffer, sizeof buffer, MSG_DONTWAIT,
                           reinterpret_cast<sockaddr*>(&from), &size);
  if (got < 0) return "(nothing)";
  return std::string(buffer, static_cast<std::size_t>(got)) + " from " + text_of(from, size);
}

// Unread datagrams from live, closed and unnamed senders. The probe consumes them.
Probe datagram_senders(const std::string& dir) {
  must(::chdir(dir.c_str()), "chdir");
  int receiver = bound(SOCK_DGRAM, "relative.sock");
  Name to = name_of(dir + "/relative.sock");
  auto send_to = [&](int fd, std::string_view text) {
    if (::sendto(fd, text.data(), text.size(), 0, to.get(), to.size) < 0) die("sendto");
  };
  int known = bound(SOCK_DGRAM, dir + "/known.sock");
  send_to(known, "one");
  int gone = bound(SOCK_DGRAM, dir + "/gone.sock");
  send_to(gone, "two");
  ::close(gone);
  int nameless = must(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), "socket");
  send_to(nameless, "three");
  send_to(known, "four");
  must(::connect(known, to.get(), to.size), "connect");
  return [=](Answer& answer) {
    for (int i = 0; i < 5; ++i) answer.say("datagram", next_datagram(receiver));
    answer.say("gone", ::access((dir + "/gone.sock").c_str(), F_OK));
    answer.say("name", name_of_socket(receiver, ::getsockname));
    send_text(known, "five");
    answer.say("datagram", next_datagram(receiver));
  };
}

// Two connections wait to be accepted at a socket that lost its file; a third is accepted and
// its listener closed. The probe accepts, so it runs only once.
Probe waiting_connections(const std::string& dir) {
  std::string path = dir + "/waiting.sock";
  int listener = bound(SOCK_STREAM, path);
  must(::listen(listener, 3), "listen");
  int first = connected(SOCK_STREAM, path);
  int second = connected(SOCK_STREAM, path);
  std::string other = dir + "/closed.sock";
  int closed = bound(SOCK_SEQPACKET, other);
  must(::listen(closed, 1), "listen");
  int client = connected(SOCK_SEQPACKET, other);
  int server = must(::accept4(closed, nullptr, nullptr, SOCK_CLOEXEC), "accept");
  ::close(closed);
  must(::unlink(other.c_str()), "unlink");
  send_text(client, "unread");
  return [=](Answer& answer) {
    int one = must(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK), "accept");
    int two = must(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK), "accept");
    send_text(first, "first");
    send_text(second, "second");
    answer.say("accepted", peek(one) + " " + peek(two) + " " + name_of_socket(one, ::getsockname));
    answer.say("server", peek(server) + " " + name_of_socket(server, ::getsockname));
    answer.say("client", name_of_socket(client, ::getpeername));
    answer.say("file", ::access(other.c_str(), F_OK));
  };
}

constexpr std::size_t kMuch = 300'000;

// More data than the default buffer holds, and a signal (F_SETSIG) for new data.
Probe full_and_owned(const std::string&) {
  Pair ends = pair_of(SOCK_STREAM);
  int size = 1 << 20;  // the kernel may reduce it
  must(::setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof size), "SO_SNDBUF");
  send_text(ends[0], pattern(kMuch, 5));
  Pair owned = pair_of(SOCK_STREAM);
  sigset_t usual;
  sigemptyset(&usual);
  sigaddset(&usual, SIGUSR1);
  must(::sigprocmask(SIG_BLOCK, &usual, nullptr), "sigprocmask");
  must(::fcntl(owned[0], F_SETOWN, ::getpid()), "F_SETOWN");
  must(::fcntl(owned[0], F_SETSIG, SIGUSR1), "F_SETSIG");
  must(::fcntl(owned[0], F_SETFL, O_ASYNC), "O_ASYNC");
  return [=](Answer& answer) {
    std::string all(kMuch, '\0');
    ssize_t got = ::recv(ends[1], all.data(), all.size(), MSG_PEEK | MSG_DONTWAIT);
    answer.say("unread", std::to_string(got) + " " + hash_of(all));
    send_text(owned[1], "x");
    siginfo_t info{};
    timespec patience{5, 0};
    answer.say("signal", ::sigtimedwait(&usual, &info, &patience));
    char byte = 0;
    answer.say("byte", ::recv(owned[0], &byte, 1, 0));
    answer.say("owner", must(::fcntl(owned[0], F_GETOWN), "F_GETOWN") == ::getpid() ? 1 : 0);
  };
}

}  // namespace

std::vector<Feature> unix_features() {
  return {{"unix-closed-ends", closed_ends},
          {"unix-peer-credentials", peer_credentials},
          {"unix-datagram-senders", datagram_senders},
          {"unix-waiting-connections", waiting_connections},
          {"unix-full-and-owned", full_and_owned}};
}

}  // namespace stateful
