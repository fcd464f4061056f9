#include "sockets.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "looking.h"

namespace zoo {
namespace {

// Only this part of a stream is compared, since the rest may be with the receiver or still with the
// sender.
constexpr std::size_t kCertain = 1000;

std::string name_text(const sockaddr_storage& name, socklen_t size) {
  return std::to_string(size) + ":" + hex(hash_of({reinterpret_cast<const char*>(&name), size}));
}

}  // namespace

void say_socket(Report& report, std::string_view key, int fd) {
  say_descriptor(report, key, fd);
  std::string prefix = std::string(key) + ".";
  constexpr std::pair<const char*, int> kOptions[] = {
      {"type", SO_TYPE},         {"protocol", SO_PROTOCOL},    {"listens", SO_ACCEPTCONN},
      {"receive", SO_RCVBUF},    {"send", SO_SNDBUF},          {"keep", SO_KEEPALIVE},
      {"reuse", SO_REUSEADDR},   {"port", SO_REUSEPORT},       {"broadcast", SO_BROADCAST},
      {"priority", SO_PRIORITY}, {"credentials", SO_PASSCRED}, {"low", SO_RCVLOWAT},
      {"stamp", SO_TIMESTAMP},   {"oob", SO_OOBINLINE},        {"route", SO_DONTROUTE}};
  for (const auto& [name, option] : kOptions) {
    int value = -1;
    socklen_t size = sizeof value;
    if (::getsockopt(fd, SOL_SOCKET, option, &value, &size) == 0) report.say(prefix + name, value);
  }
  for (int option : {SO_RCVTIMEO, SO_SNDTIMEO, SO_LINGER}) {
    char value[16] = {};
    socklen_t size = sizeof value;
    ::getsockopt(fd, SOL_SOCKET, option, value, &size);
    report.say(prefix + std::to_string(option), hex(hash_of({value, size})));
  }
  sockaddr_storage name{};
  socklen_t size = sizeof name;
  report.say(prefix + "here", ::getsockname(fd, reinterpret_cast<sockaddr*>(&name), &size) == 0
                                  ? name_text(name, size)
                                  : ::strerrorname_np(errno));
  size = sizeof name;
  name = {};
  report.say(prefix + "there", ::getpeername(fd, reinterpret_cast<sockaddr*>(&name), &size) == 0
                                   ? name_text(name, size)
                                   : ::strerrorname_np(errno));
}

std::string peek_stream(int fd, std::size_t most) {
  std::string block(most, '\0');
  ssize_t n = ::recv(fd, block.data(), block.size(), MSG_PEEK | MSG_DONTWAIT);
  if (n < 0) return ::strerrorname_np(errno);
  return std::to_string(n) + ":" + hex(hash_of({block.data(), static_cast<std::size_t>(n)}));
}

void choose_options(Chance& chance, int fd) {
  auto set = [&](int level, int option, int value) {
    ::setsockopt(fd, level, option, &value, sizeof value);
  };
  if (chance.once_in(3)) set(SOL_SOCKET, SO_RCVBUF, 8192 + chance.below(100'000));
  if (chance.once_in(3)) set(SOL_SOCKET, SO_SNDBUF, 8192 + chance.below(100'000));
  if (chance.once_in(3)) set(SOL_SOCKET, SO_KEEPALIVE, 1);
  if (chance.once_in(3)) set(SOL_SOCKET, SO_PRIORITY, chance.below(7));
  if (chance.once_in(4)) set(SOL_SOCKET, SO_OOBINLINE, 1);
  if (chance.once_in(4)) set(SOL_SOCKET, SO_RCVLOWAT, 1 + chance.below(3));
  if (chance.once_in(4)) {
    timeval patience{1 + chance.below(100), 0};
    ::setsockopt(fd, SOL_SOCKET, chance.of({SO_RCVTIMEO, SO_SNDTIMEO}), &patience, sizeof patience);
  }
  if (chance.once_in(4)) {
    linger end{1, chance.below(9)};
    ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &end, sizeof end);
  }
}

void StreamEnds::fill(Chance& chance, std::size_t most) {
  for (Fd* end : {&one_, &other_}) {
    std::size_t size = chance.flip() ? chance.below(most) : chance.below(100U);
    std::string bytes = chance.bytes(size);
    std::string_view rest = bytes;
    while (!rest.empty()) {
      ssize_t n = ::send(end->get(), rest.data(), rest.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
      if (n < 0) break;  // the queue is full
      rest.remove_prefix(static_cast<std::size_t>(n));
    }
    (end == &one_ ? to_other_ : to_one_) = bytes.substr(0, bytes.size() - rest.size());
  }
  parts_ = chance.flip();
}

void StreamEnds::shut_some(Chance& chance) {
  if (chance.once_in(4))
    must(::shutdown(one_.get(), chance.of({SHUT_WR, SHUT_RDWR})), "shutdown");
  else if (chance.once_in(4))
    must(::shutdown(other_.get(), SHUT_WR), "shutdown");
}

void StreamEnds::look(Report& report) {
  if (one_.open()) {
    say_socket(report, "one", one_.get());
    report.say("one.holds", peek_stream(one_.get(), kCertain));
  }
  if (other_.open()) {
    say_socket(report, "other", other_.get());
    report.say("other.holds", peek_stream(other_.get(), kCertain));
  }
}

std::optional<std::string> StreamEnds::finish(const std::string& path) {
  for (Fd* end : {&one_, &other_}) {
    bool is_one = end == &one_;
    std::string mark = path + (is_one ? ".one" : ".other");
    if (!end->open() || !Fd(::open(mark.c_str(), O_CREAT | O_EXCL | O_WRONLY, 0600)).open())
      continue;
    const std::string& sent = is_one ? to_one_ : to_other_;
    std::string got;
    std::string block(1U << 20U, '\0');
    // Poll with recv(): with SO_RCVLOWAT, poll() does not report a small amount of data.
    for (int i = 0; i < 5000 && got.size() < sent.size(); ++i) {
      ssize_t n = ::recv(end->get(), block.data(), block.size(), MSG_DONTWAIT);
      if (n == 0) break;
      if (n > 0) got.append(block.data(), static_cast<std::size_t>(n));
      if (n < 0) ::usleep(1000);
    }
    if (got != sent)
      return "expected " + std::to_string(sent.size()) + " bytes got " +
             std::to_string(got.size()) + (sent.starts_with(got) ? " of them" : " others");
  }
  return std::nullopt;
}

void StreamEnds::disturb() {
  for (Fd* end : {&one_, &other_}) {
    if (!end->open()) continue;
    std::string block(1U << 20U, '\0');
    while (::recv(end->get(), block.data(), block.size(), MSG_DONTWAIT) > 0) {
    }
    int value = 5;
    ::setsockopt(end->get(), SOL_SOCKET, SO_PRIORITY, &value, sizeof value);
    ::fcntl(end->get(), F_SETFD, 1 - ::fcntl(end->get(), F_GETFD));
  }
}

void StreamEnds::part(Resource::Side side) {
  if (!parts_ || !one_.open() || !other_.open()) return;
  (side == Resource::Side::kChild ? one_ : other_).reset();
}

}  // namespace zoo
