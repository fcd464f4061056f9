#include "client/http_connection.h"

#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "client/http_reply.h"
#include "os/socket.h"

namespace sf::client {
namespace {

using End = HttpExchange::End;

constexpr seconds kReadWithin{60};  // a healthy daemon reads a request without delay
constexpr std::size_t kPiece = 64U << 10U;

std::string text_of(const HttpRequest& request) {
  return request.method + " " + request.path + " HTTP/1.1\r\nHost: localhost\r\n" +
         request.headers + "Content-Length: " + std::to_string(request.body.size()) + "\r\n\r\n" +
         request.body;
}

// Sent bytes that the peer has not read.
int unread_bytes(int socket) {
  int count = 0;
  return ::ioctl(socket, SIOCOUTQ, &count) == 0 ? count : 0;
}

}  // namespace

HttpConnection::Sent HttpConnection::send(std::string_view bytes) const {
  const timeval limit{kReadWithin.count(), 0};
  (void)::setsockopt(fd(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  while (!bytes.empty()) {
    const ssize_t n = ::send(fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno == EAGAIN ? Sent::kNotRead : Sent::kPart;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return Sent::kAll;
}

// A Unix socket knows this exactly: unread bytes are still counted by SIOCOUTQ, or the kernel
// discarded them and set ECONNRESET.
// Requires: the peer closed the connection after the whole request was sent.
bool HttpConnection::has_read_request() const {
  if (unread_bytes(fd()) > 0) return false;
  int error = 0;
  socklen_t size = sizeof error;
  (void)::getsockopt(fd(), SOL_SOCKET, SO_ERROR, &error, &size);
  return error != ECONNRESET;
}

HttpExchange HttpConnection::call(const HttpRequest& request, seconds patience,
                                  const TakeBody& take) {
  const Sent sent = send(text_of(request));
  if (sent == Sent::kNotRead) return {.end = End::kNotRead};
  HttpReplyReader reader;
  bool wants_more = true;
  auto ended = [&](End end) { return HttpExchange{end, reader.status(), false}; };
  auto take_piece = [&](std::string_view piece) {
    wants_more = wants_more && take(reader.status(), piece);
  };
  std::array<char, kPiece> buffer;  // NOLINT: filled by recv
  // The daemon may reply and close before it has read the whole request, if it refuses it. So the
  // reply is read even if send() failed.
  while (!reader.is_complete()) {
    const bool may_be_unread = sent == Sent::kAll && !reader.has_begun() && patience > kReadWithin;
    auto ready = os::wait_readable(fd(), Deadline::after(may_be_unread ? kReadWithin : patience));
    if (!ready) return ended(End::kBroken);
    if (!*ready && may_be_unread && unread_bytes(fd()) > 0) return ended(End::kNotRead);
    if (!*ready && may_be_unread) ready = os::wait_readable(fd(), Deadline::after(patience));
    if (!ready || !*ready) return ended(End::kBroken);
    const ssize_t n = ::recv(fd(), buffer.data(), buffer.size(), 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0 && reader.has_begun()) return ended(reader.end() ? End::kAnswered : End::kBroken);
    if (n <= 0) {
      const bool was_read = sent == Sent::kAll && (n == 0 || errno != ECONNRESET);
      return ended(was_read && has_read_request() ? End::kBroken : End::kNotTaken);
    }
    if (!reader.feed({buffer.data(), static_cast<std::size_t>(n)}, take_piece))
      return ended(End::kMalformed);
    if (!wants_more) return ended(End::kStopped);
  }
  return {End::kAnswered, reader.status(), reader.keeps_connection()};
}

}  // namespace sf::client
