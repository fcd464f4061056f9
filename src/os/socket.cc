#include "os/socket.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>
#include <cstring>

#include "os/error.h"
#include "os/file.h"

namespace sf::os {
namespace {

// sun_path holds 107 characters. A longer path is reached through a descriptor of its directory.
Result<sockaddr_un> address_of(const std::string& path, UniqueFd& directory) {
  std::string shown = path;
  if (path.size() >= sizeof(sockaddr_un::sun_path)) {
    std::size_t slash = path.rfind('/');
    SF_TRY_ASSIGN(directory, open_file(path.substr(0, slash), O_PATH | O_DIRECTORY));
    shown = fd_path(directory.get()) + path.substr(slash);
  }
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (shown.size() >= sizeof address.sun_path) return invalid("socket name is too long: " + path);
  std::memcpy(address.sun_path, shown.c_str(), shown.size() + 1);
  return address;
}

Result<UniqueFd> stream_socket() {
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd.valid()) return last_error("creating a socket");
  return fd;
}

}  // namespace

Result<UniqueFd> listen_unix(const std::string& path, mode_t mode) {
  UniqueFd directory;
  SF_TRY_ASSIGN(sockaddr_un address, address_of(path, directory));
  SF_TRY_ASSIGN(UniqueFd fd, stream_socket());
  ::unlink(path.c_str());
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return last_error("binding " + path);
  if (::chmod(path.c_str(), mode) != 0) return last_error("setting the mode of " + path);
  if (::listen(fd.get(), SOMAXCONN) != 0) return last_error("listening on " + path);
  return fd;
}

Result<UniqueFd> connect_unix(const std::string& path, Deadline deadline) {
  UniqueFd directory;
  SF_TRY_ASSIGN(sockaddr_un address, address_of(path, directory));
  SF_TRY_ASSIGN(UniqueFd fd, stream_socket());
  // SO_SNDTIMEO also limits connect(); 0 means no limit.
  timeval limit{};
  if (!deadline.is_never()) {
    const int left = std::max(1, deadline.poll_timeout_ms());
    limit = {left / 1000, (left % 1000) * 1000};
  }
  (void)::setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return last_error("connecting to " + path);
  limit = {};
  (void)::setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  return fd;
}

Result<UniqueFd> accept_unix(int listener) {
  UniqueFd fd(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
  if (!fd.valid()) return last_error("accepting a connection");
  return fd;
}

Result<std::pair<UniqueFd, UniqueFd>> seqpacket_pair() {
  int fds[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0)
    return last_error("creating a socket pair");
  return std::pair(UniqueFd(fds[0]), UniqueFd(fds[1]));
}

Result<Datagram> receive_datagram(int fd, std::size_t cap) {
  Datagram datagram;
  datagram.bytes.resize(cap);
  iovec part{datagram.bytes.data(), cap};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * 8)] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t n = 0;
  do {
    n = ::recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
  } while (n < 0 && errno == EINTR);
  if (n < 0) return last_error("receiving a message");
  datagram.bytes.resize(static_cast<std::size_t>(n));
  for (cmsghdr* c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
    std::size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int passed = -1;
      std::memcpy(&passed, CMSG_DATA(c) + i * sizeof(int), sizeof passed);
      UniqueFd owned(passed);
      if (!datagram.passed_fd.valid()) datagram.passed_fd = std::move(owned);
    }
  }
  return datagram;
}

Result<bool> wait_readable(int fd, Deadline deadline) {
  for (;;) {
    pollfd entry{fd, POLLIN, 0};
    int n = ::poll(&entry, 1, deadline.poll_timeout_ms());
    if (n > 0) return true;
    if (n == 0) return false;
    if (errno != EINTR) return last_error("waiting for data");
  }
}

Status set_nonblocking(int fd) {
  int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0 || ::fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0)
    return last_error("making a descriptor non-blocking");
  return Ok{};
}

}  // namespace sf::os
