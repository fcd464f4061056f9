#include "feature.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace stateful {

void die(const char* what) {
  std::fprintf(stderr, "stateful: %s: %s\n", what, std::strerror(errno));
  std::exit(1);
}

int must(int value, const char* what) {
  if (value < 0) die(what);
  return value;
}

std::string pattern(std::size_t size, unsigned seed) {
  std::string bytes(size, '\0');
  std::uint32_t state = seed * 2654435761U + 1;
  for (char& byte : bytes) {
    state = state * 1664525U + 1013904223U;
    byte = static_cast<char>(state >> 24U);
  }
  return bytes;
}

std::string hash_of(std::string_view bytes) {
  std::uint64_t hash = 14695981039346656037ULL;  // FNV-1a
  for (char byte : bytes) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 1099511628211ULL;
  }
  char text[32];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

std::string read_whole_file(const std::string& path) {
  int fd = must(::open(path.c_str(), O_RDONLY | O_CLOEXEC), path.c_str());
  std::string text;
  char buffer[4096];
  ssize_t got = 0;
  while ((got = ::read(fd, buffer, sizeof buffer)) > 0)
    text.append(buffer, static_cast<std::size_t>(got));
  ::close(fd);
  return text;
}

void write_whole_file(const std::string& path, std::string_view bytes) {
  int fd = must(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644), path.c_str());
  if (::write(fd, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) die("write");
  ::close(fd);
}

namespace {

std::string field(const std::string& text, const std::string& key) {
  std::size_t at = text.find(key + ":");
  if (at == std::string::npos) return "(none)";
  at = text.find_first_not_of(" \t", at + key.size() + 1);
  return text.substr(at, text.find('\n', at) - at);
}

}  // namespace

std::string fdinfo(int fd, const std::string& key) {
  return field(read_whole_file("/proc/self/fdinfo/" + std::to_string(fd)), key);
}

std::string own_status(const std::string& key) {
  return field(read_whole_file("/proc/self/status"), key);
}

std::string drain(int fd) {
  std::string text;
  char buffer[65536];
  ssize_t got = 0;
  while ((got = ::read(fd, buffer, sizeof buffer)) > 0)
    text.append(buffer, static_cast<std::size_t>(got));
  return text;
}

bool readable(int fd, int wait_ms) {
  pollfd wanted{fd, POLLIN, 0};
  return ::poll(&wanted, 1, wait_ms) == 1 && (wanted.revents & POLLIN) != 0;
}

}  // namespace stateful
