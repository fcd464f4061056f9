#include "os/terminals/typed_queue.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

namespace sf::os {
namespace {

constexpr std::size_t kMaxLine = 4096;  // the kernel's queue

bool is_readable(int fd) {
  pollfd look{fd, POLLIN, 0};
  return ::poll(&look, 1, 0) > 0 && (look.revents & POLLIN) != 0;
}

}  // namespace

// A read returns one line, or the bytes before an end of file.
void read_lines(int slave, TypedAhead& typed) {
  while (is_readable(slave)) {
    char line[kMaxLine];
    const ssize_t n = ::read(slave, line, sizeof line);
    if (n < 0) return;
    typed.bytes.append(line, static_cast<std::size_t>(n));
    if (n == 0 || line[n - 1] != '\n') typed.ends.push_back(typed.bytes.size());
  }
}

bool await_readable(int slave, std::size_t bytes, Deadline deadline) {
  for (;;) {
    (void)is_readable(slave);  // poll() makes the kernel deliver bytes in transit
    int there = 0;
    if (::ioctl(slave, FIONREAD, &there) != 0) return false;
    if (static_cast<std::size_t>(there) >= bytes) return true;
    if (deadline.passed()) return false;
    (void)::poll(nullptr, 0, 1);
  }
}

char unused_character(std::string_view bytes) {
  constexpr unsigned char kUsual = 4;  // Ctrl-D
  for (unsigned char c = kUsual; c != 0; ++c) {
    if (c != '\n' && bytes.find(static_cast<char>(c)) == std::string_view::npos)
      return static_cast<char>(c);
  }
  return kUsual;
}

std::string with_ends(const TypedAhead& typed, char end) {
  std::string text = typed.bytes;
  for (auto at = typed.ends.rbegin(); at != typed.ends.rend(); ++at) text.insert(*at, 1, end);
  return text;
}

std::size_t readable_bytes(const TypedAhead& typed, bool is_canonical) {
  if (!is_canonical) return typed.bytes.size();
  return std::max(typed.bytes.rfind('\n') + 1,
                  typed.ends.empty() ? std::size_t{0} : typed.ends.back());
}

TypedLines split_lines(const TypedAhead& typed) {
  TypedLines split;
  auto end = typed.ends.begin();
  for (std::size_t at = 0;;) {
    const std::size_t newline = typed.bytes.find('\n', at);
    const bool is_end =
        end != typed.ends.end() && (newline == std::string::npos || *end <= newline);
    if (!is_end && newline == std::string::npos) {
      split.rest = typed.bytes.substr(at);
      return split;
    }
    const std::size_t next = is_end ? *end++ : newline + 1;
    split.lines.push_back(typed.bytes.substr(at, next - at));
    at = next;
  }
}

TypedAhead join_lines(const TypedLines& typed) {
  TypedAhead joined;
  for (const std::string& line : typed.lines) {
    joined.bytes += line;
    if (!line.ends_with('\n')) joined.ends.push_back(joined.bytes.size());
  }
  joined.bytes += typed.rest;
  return joined;
}

}  // namespace sf::os
