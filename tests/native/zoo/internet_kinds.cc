// TCP and UDP over the branch's own loopback.
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "looking.h"
#include "resource.h"
#include "sockets.h"

namespace zoo {
namespace {

struct Address {
  sockaddr_storage name{};
  socklen_t size = sizeof(sockaddr_storage);
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&name); }
  int family() const { return name.ss_family; }
};

Address loopback(bool six) {
  Address address;
  if (six) {
    auto* name = reinterpret_cast<sockaddr_in6*>(&address.name);
    name->sin6_family = AF_INET6;
    name->sin6_addr = in6addr_loopback;
    address.size = sizeof *name;
  } else {
    auto* name = reinterpret_cast<sockaddr_in*>(&address.name);
    name->sin_family = AF_INET;
    name->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.size = sizeof *name;
  }
  return address;
}

Address name_of(int fd) {
  Address address;
  must(::getsockname(fd, address.get(), &address.size), "getsockname");
  return address;
}

void choose_tcp_options(Chance& chance, int fd) {
  auto set = [&](int option, int value) {
    ::setsockopt(fd, IPPROTO_TCP, option, &value, sizeof value);
  };
  if (chance.once_in(2)) set(TCP_NODELAY, 1);
  if (chance.once_in(4)) set(TCP_KEEPIDLE, 10 + chance.below(1000));
  if (chance.once_in(4)) set(TCP_KEEPINTVL, 10 + chance.below(100));
  if (chance.once_in(4)) set(TCP_KEEPCNT, 1 + chance.below(9));
  if (chance.once_in(4)) set(TCP_USER_TIMEOUT, 1000 + chance.below(9000));
}

void say_tcp(Report& report, std::string_view key, int fd) {
  for (int option : {TCP_NODELAY, TCP_KEEPIDLE, TCP_KEEPINTVL, TCP_KEEPCNT, TCP_USER_TIMEOUT,
                     TCP_CORK, TCP_DEFER_ACCEPT}) {
    int value = -1;
    socklen_t size = sizeof value;
    ::getsockopt(fd, IPPROTO_TCP, option, &value, &size);
    report.say(std::string(key) + ".tcp" + std::to_string(option), value);
  }
}

Fd listen_somewhere(Chance& chance, bool six) {
  Fd listener(must(::socket(six ? AF_INET6 : AF_INET,
                            SOCK_STREAM | SOCK_NONBLOCK | chance.of({0, int{SOCK_CLOEXEC}}), 0),
                   "socket"));
  choose_options(chance, listener.get());
  choose_tcp_options(chance, listener.get());
  int on = 1;
  if (chance.flip()) ::setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  Address address = loopback(six);
  must(::bind(listener.get(), address.get(), address.size), "bind");
  must(::listen(listener.get(), 1 + chance.below(50)), "listen");
  return listener;
}

class TcpListener : public Resource {
 public:
  void make(Chance& chance, const std::string&) override {
    listener_ = listen_somewhere(chance, chance.once_in(3));
    address_ = name_of(listener_.get());
  }
  void look(Report& report) override {
    say_socket(report, "listener", listener_.get());
    say_tcp(report, "listener", listener_.get());
  }
  void disturb() override { listener_.reset(); }
  bool is_inherited() const override { return true; }

 private:
  Address address_;
  Fd listener_;
};

// Clients that wait to be accepted and have sent nothing.
class TcpWaiting : public Resource {
 public:
  void make(Chance& chance, const std::string&) override {
    bool six = chance.once_in(3);
    listener_ = listen_somewhere(chance, six);
    must(::listen(listener_.get(), 5), "listen");
    Address address = name_of(listener_.get());
    for (int i = 0, count = 1 + chance.below(4); i < count; ++i) {
      Fd client(must(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"));
      choose_options(chance, client.get());
      choose_tcp_options(chance, client.get());
      must(::connect(client.get(), address.get(), address.size), "connect");
      clients_.push_back(std::move(client));
    }
  }
  void look(Report& report) override {
    say_socket(report, "listener", listener_.get());
    report.say("somebody waits", readable(listener_.get()) ? 1 : 0);
    for (Fd& client : clients_) {
      say_socket(report, "client", client.get());
      say_tcp(report, "client", client.get());
    }
  }
  void disturb() override { clients_.front().reset(); }
  std::optional<std::string> finish() override {
    for (Fd& client : clients_) {
      Fd served(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!served.open()) return "expected a connection got none";
      Address there;
      must(::getpeername(served.get(), there.get(), &there.size), "getpeername");
      Address here = name_of(client.get());
      if (std::memcmp(&here.name, &there.name, here.size) != 0) return "expected another client";
      timeval patience{10, 0};
      ::setsockopt(served.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
      char got = 0;
      if (::send(client.get(), "xyz", 3, MSG_NOSIGNAL) != 3 ||
          ::recv(served.get(), &got, 1, 0) != 1)
        return "expected a byte got none";
    }
    return std::nullopt;
  }

 private:
  Fd listener_;
  std::vector<Fd> clients_;
};

class TcpConnection : public Resource {
 public:
  void make(Chance& chance, const std::string& path) override {
    path_ = path;
    bool six = chance.once_in(3);
    Fd listener = listen_somewhere(chance, six);
    Address address = name_of(listener.get());
    Fd client(must(::socket(address.family(), SOCK_STREAM | chance.of({0, int{SOCK_CLOEXEC}}), 0),
                   "socket"));
    choose_options(chance, client.get());
    choose_tcp_options(chance, client.get());
    must(::connect(client.get(), address.get(), address.size), "connect");
    if (!readable(listener.get())) die("no connection to accept");
    Fd served(must(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC), "accept4"));
    ends_.take(std::move(client), std::move(served));
    ends_.fill(chance, 60'000);
    if (chance.once_in(4)) must(::shutdown(ends_.one().get(), SHUT_WR), "shutdown");
    if (chance.flip()) listener_ = std::move(listener);
    settle();
  }
  void look(Report& report) override {
    ends_.look(report);
    for (Fd* end : {&ends_.one(), &ends_.other()})
      if (end->open()) say_tcp(report, "end", end->get());
    if (listener_.open()) say_socket(report, "listener", listener_.get());
  }
  void disturb() override { ends_.disturb(); }
  std::optional<std::string> finish() override { return ends_.finish(path_); }
  bool is_inherited() const override { return true; }
  void part(Side side) override { ends_.part(side); }

 private:
  // Waits until the queues stop changing: data beyond the receiver's window stays with the sender.
  void settle() {
    std::string before;
    for (int i = 0; i < 50; ++i) {
      Report report;
      ends_.look(report);
      if (report.text() == before) return;
      before = report.text();
      ::usleep(20'000);
    }
  }
  std::string path_;
  StreamEnds ends_;
  Fd listener_;
};

class Udp : public Resource {
 public:
  void make(Chance& chance, const std::string&) override {
    bool six = chance.once_in(3);
    Address address = loopback(six);
    socket_.reset(
        must(::socket(six ? AF_INET6 : AF_INET, SOCK_DGRAM | chance.of({0, int{SOCK_CLOEXEC}}), 0),
             "socket"));
    choose_options(chance, socket_.get());
    if (chance.once_in(4)) return;  // not bound
    must(::bind(socket_.get(), address.get(), address.size), "bind");
    address_ = name_of(socket_.get());
    if (chance.flip()) must(::connect(socket_.get(), address_.get(), address_.size), "connect");
    is_bound_ = true;
  }
  void look(Report& report) override {
    say_socket(report, "socket", socket_.get());
    if (!is_bound_) return;
    // A datagram to the socket itself.
    ssize_t sent = ::sendto(socket_.get(), "hello", 5, 0, address_.get(), address_.size);
    report.say_result("sent", sent);
    if (sent < 0) return;
    if (!readable(socket_.get())) {
      report.say("received", "nothing");
      return;
    }
    char got[16];
    report.say_result("received", ::recv(socket_.get(), got, sizeof got, MSG_DONTWAIT));
  }
  void disturb() override {
    int value = 6;
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_PRIORITY, &value, sizeof value);
    socket_.reset();
  }
  bool is_inherited() const override { return true; }

 private:
  Address address_;
  Fd socket_;
  bool is_bound_ = false;
};

}  // namespace

std::vector<Kind> internet_kinds() {
  return {{"tcp-listener", create<TcpListener>},
          {"tcp-connection", create<TcpConnection>},
          {"tcp-waiting", create<TcpWaiting>},
          {"udp", create<Udp>}};
}

}  // namespace zoo
