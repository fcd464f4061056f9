// Unix sockets: pairs, listeners, connections, datagrams.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "looking.h"
#include "resource.h"
#include "sockets.h"

namespace zoo {
namespace {

struct Address {
  sockaddr_un name{};
  socklen_t size = 0;
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&name); }
};

// A path, or an abstract name.
Address choose_address(Chance& chance, const std::string& path) {
  Address address;
  address.name.sun_family = AF_UNIX;
  bool is_abstract = chance.flip();
  char* location = address.name.sun_path + (is_abstract ? 1 : 0);
  std::memcpy(location, path.data(), path.size());
  address.size = static_cast<socklen_t>(sizeof(sa_family_t) + path.size() + 1);
  return address;
}

class StreamPair : public Resource {
 public:
  void make(Chance& chance, const std::string& path) override {
    path_ = path;
    int ends[2];
    must(::socketpair(AF_UNIX, SOCK_STREAM | chance.of({0, int{SOCK_CLOEXEC}, int{SOCK_NONBLOCK}}),
                      0, ends),
         "socketpair");
    ends_.take(Fd(ends[0]), Fd(ends[1]));
    choose_options(chance, ends[0]);
    ends_.fill(chance, 150'000);
    ends_.shut_some(chance);
    if (chance.once_in(4)) ends_.other().reset();  // its sent data can still be read
  }
  void look(Report& report) override {
    ends_.look(report);
    for (Fd* end : {&ends_.one(), &ends_.other()}) {
      if (!end->open()) continue;
      ucred peer{};
      socklen_t size = sizeof peer;
      ::getsockopt(end->get(), SOL_SOCKET, SO_PEERCRED, &peer, &size);
      report.say("peer", peer.pid).say("uid", peer.uid);
    }
  }
  void disturb() override { ends_.disturb(); }
  std::optional<std::string> finish() override { return ends_.finish(path_); }
  bool is_inherited() const override { return true; }
  void part(Side side) override { ends_.part(side); }

 private:
  std::string path_;
  StreamEnds ends_;
};

// Messages with boundaries. look() receives each one and sends it again from the original sender.
class MessagePair : public Resource {
 public:
  void make(Chance& chance, const std::string&) override {
    int type = chance.of({int{SOCK_DGRAM}, int{SOCK_SEQPACKET}});
    int ends[2];
    must(::socketpair(AF_UNIX, type | SOCK_NONBLOCK | chance.of({0, int{SOCK_CLOEXEC}}), 0, ends),
         "socketpair");
    one_.reset(ends[0]);
    other_.reset(ends[1]);
    choose_options(chance, ends[1]);
    for (int end : ends)
      for (int i = chance.below(6); i > 0; --i) {
        std::string message = chance.bytes(1 + chance.below(3000U));
        ::send(end, message.data(), message.size(), MSG_NOSIGNAL);  // until the queue is full
      }
  }
  void look(Report& report) override {
    say_socket(report, "one", one_.get());
    say_socket(report, "other", other_.get());
    report.say("one.holds", turn(one_.get(), other_.get()));
    report.say("other.holds", turn(other_.get(), one_.get()));
  }
  void disturb() override {
    char block[4096];
    for (Fd* end : {&one_, &other_})
      while (::recv(end->get(), block, sizeof block, MSG_DONTWAIT) > 0) {
      }
    ::fcntl(one_.get(), F_SETFD, 1 - ::fcntl(one_.get(), F_GETFD));
  }
  bool is_inherited() const override { return true; }

 private:
  static std::string turn(int to, int from) {
    std::vector<std::string> all;
    char block[4096];
    ssize_t n = 0;
    while ((n = ::recv(to, block, sizeof block, MSG_DONTWAIT)) > 0)
      all.emplace_back(block, static_cast<std::size_t>(n));
    std::string text = n == 0 ? "end," : "";
    for (const std::string& message : all) {
      text += std::to_string(message.size()) + ":" + hex(hash_of(message)) + ",";
      must(::send(from, message.data(), message.size(), MSG_NOSIGNAL), "sending again");
    }
    return text;
  }
  Fd one_;
  Fd other_;
};

class LocalListener : public Resource {
 public:
  void make(Chance& chance, const std::string& path) override {
    address_ = choose_address(chance, path);
    int type = chance.of({int{SOCK_STREAM}, int{SOCK_STREAM}, int{SOCK_SEQPACKET}});
    listener_.reset(must(::socket(AF_UNIX, type | SOCK_NONBLOCK, 0), "socket"));
    must(::bind(listener_.get(), address_.get(), address_.size), "bind");
    must(::listen(listener_.get(), 3 + chance.below(5)), "listen");
    if (address_.name.sun_path[0] != 0) ::chmod(address_.name.sun_path, 0666);
    for (int i = chance.below(3); i > 0; --i) {
      Fd client(must(::socket(AF_UNIX, type | SOCK_CLOEXEC, 0), "socket"));
      must(::connect(client.get(), address_.get(), address_.size), "connect");
      Fd served(must(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC), "accept4"));
      if (type == SOCK_STREAM) {
        std::string bytes = chance.bytes(chance.below(5000U));
        must(::send(client.get(), bytes.data(), bytes.size(), MSG_DONTWAIT), "send");
      }
      connections_.push_back(std::move(client));
      connections_.push_back(std::move(served));
    }
    if (chance.flip()) {  // a connection that waits to be accepted
      waiter_.reset(must(::socket(AF_UNIX, type | SOCK_CLOEXEC, 0), "socket"));
      must(::connect(waiter_.get(), address_.get(), address_.size), "connect");
    }
    type_ = type;
  }
  void look(Report& report) override {
    say_socket(report, "listener", listener_.get());
    for (const Fd& fd : connections_) {
      say_socket(report, "end", fd.get());
      if (type_ == SOCK_STREAM) report.say("holds", peek_stream(fd.get()));
    }
    if (waiter_.open()) {
      say_socket(report, "waiter", waiter_.get());
      return;
    }
    // Connects to the listener by name. The queue is empty, so the next connection is ours.
    Fd client(::socket(AF_UNIX, type_ | SOCK_CLOEXEC, 0));
    report.say_result("connect", ::connect(client.get(), address_.get(), address_.size));
    while (true) {
      Fd served(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!served.open()) break;
      report.say("accepted", 1);
    }
  }
  void disturb() override {
    for (Fd& fd : connections_) fd.reset();
    listener_.reset();
  }

 private:
  Address address_;
  int type_ = 0;
  Fd listener_;
  Fd waiter_;
  std::vector<Fd> connections_;
};

class LocalDatagrams : public Resource {
 public:
  void make(Chance& chance, const std::string& path) override {
    address_ = choose_address(chance, path);
    server_.reset(must(::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0), "socket"));
    must(::bind(server_.get(), address_.get(), address_.size), "bind");
    client_.reset(must(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), "socket"));
    Address own = choose_address(chance, path + "c");
    if (chance.flip()) must(::bind(client_.get(), own.get(), own.size), "bind");
    if (chance.flip()) must(::connect(client_.get(), address_.get(), address_.size), "connect");
    for (int i = chance.below(5); i > 0; --i) {
      std::string message = chance.bytes(1 + chance.below(500U));
      must(
          ::sendto(client_.get(), message.data(), message.size(), 0, address_.get(), address_.size),
          "sendto");
    }
  }
  void look(Report& report) override {
    say_socket(report, "server", server_.get());
    say_socket(report, "client", client_.get());
    std::vector<std::string> all;
    char block[1024];
    ssize_t n = 0;
    sockaddr_un from{};
    socklen_t size = sizeof from;
    while ((n = ::recvfrom(server_.get(), block, sizeof block, MSG_DONTWAIT,
                           reinterpret_cast<sockaddr*>(&from), &size)) > 0) {
      all.emplace_back(block, static_cast<std::size_t>(n));
      report.say("message", hex(hash_of(all.back())));
      report.say("from", hex(hash_of({reinterpret_cast<char*>(&from), size})));
      size = sizeof from;
    }
    for (const std::string& message : all)
      report.say_result("again", ::sendto(client_.get(), message.data(), message.size(), 0,
                                          address_.get(), address_.size));
  }
  void disturb() override {
    ::sendto(client_.get(), "disturbed", 9, MSG_DONTWAIT, address_.get(), address_.size);
    client_.reset();
  }

 private:
  Address address_;
  Fd server_;
  Fd client_;
};

}  // namespace

std::vector<Kind> unix_kinds() {
  return {{"stream-pair", create<StreamPair>},
          {"message-pair", create<MessagePair>},
          {"local-listener", create<LocalListener>},
          {"local-datagrams", create<LocalDatagrams>}};
}

}  // namespace zoo
