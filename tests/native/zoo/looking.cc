#include "looking.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

namespace zoo {
namespace {

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// Copies memory that may be unmapped; returns false if it cannot be read.
bool copied(char* to, char* from, std::size_t size) {
  iovec here{to, size};
  iovec there{from, size};
  return ::process_vm_readv(::getpid(), &here, 1, &there, 1, 0) == static_cast<ssize_t>(size);
}

}  // namespace

void die(const std::string& what) {
  int error = errno;
  ::dprintf(STDERR_FILENO, "zoo: process %d: %s: %s\n", ::getpid(), what.c_str(),
            std::strerror(error));
  ::_exit(70);
}

std::string Chance::bytes(std::size_t size) {
  std::string text(size, '\0');
  for (char& c : text) c = static_cast<char>(below(256));
  return text;
}

std::string Chance::letters(std::size_t size) {
  std::string text(size, '\0');
  for (char& c : text) c = static_cast<char>('a' + below(26));
  return text;
}

void Fd::reset(int fd) {
  if (int old = std::exchange(fd_, fd); old >= 0) ::close(old);
}

Report& Report::say_result(std::string_view key, long result) {
  int error = errno;
  if (result >= 0) return say(key, result);
  return say(key, std::string_view(::strerrorname_np(error)));
}

std::optional<std::string> Resource::check() {
  std::string now = looked();
  if (now == expected_) return std::nullopt;
  std::vector<std::string> wanted = words_of(expected_);
  std::vector<std::string> got = words_of(now);
  if (wanted.size() != got.size()) return "expected " + expected_ + " got " + now;
  std::string text;
  for (std::size_t i = 0; i < got.size(); ++i)
    if (wanted[i] != got[i]) text += " expected " + wanted[i] + " got " + got[i];
  return text.substr(1);
}

std::uint64_t hash_of(std::string_view bytes) {
  std::uint64_t value = 14695981039346656037ULL;
  for (char c : bytes) value = (value ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return value;
}

std::string hex(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string read_whole(const std::string& path) {
  Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.open()) return std::string("unreadable:") + ::strerrorname_np(errno);
  std::string text;
  char block[65536];
  ssize_t n = 0;
  while ((n = ::read(file.get(), block, sizeof block)) > 0)
    text.append(block, static_cast<std::size_t>(n));
  return text;
}

void write_whole(const std::string& path, std::string_view bytes) {
  Fd file(must(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644), path));
  ::fchmod(file.get(), 0666);  // the process may change its user later; a failure is harmless
  while (!bytes.empty())
    bytes.remove_prefix(
        static_cast<std::size_t>(must(::write(file.get(), bytes.data(), bytes.size()), path)));
}

std::string line_of(const std::string& text, std::string_view key) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(key) || line.size() <= key.size() || line[key.size()] != ':') continue;
    std::size_t at = line.find_first_not_of(" \t", key.size() + 1);
    return at == std::string::npos ? "" : line.substr(at);
  }
  return "absent";
}

std::string own_status(std::string_view key) {
  return line_of(read_whole("/proc/self/status"), key);
}

std::string fdinfo(int fd) { return read_whole("/proc/self/fdinfo/" + std::to_string(fd)); }

void say_descriptor(Report& report, std::string_view key, int fd) {
  std::string name(key);
  report.say(key, fd);
  struct stat info {};
  if (::fstat(fd, &info) != 0) {
    report.say(name + ".stat", "closed");
    return;
  }
  report.say(name + ".mode", info.st_mode);
  report.say(name + ".uid", info.st_uid);
  // Ignore O_LARGEFILE, which depends on how the file was opened, also inside the kernel. Ignore
  // O_TMPFILE, which only describes how the file was made.
  constexpr int kLargeFiles = 0100000;
  int flags = ::fcntl(fd, F_GETFL);
  if (flags >= 0) flags &= ~(kLargeFiles | (S_ISREG(info.st_mode) ? O_TMPFILE : 0));
  report.say_result(name + ".flags", flags);
  report.say_result(name + ".cloexec", ::fcntl(fd, F_GETFD));
}

std::string peek_pipe(int read_end) {
  int ends[2];
  must(::pipe2(ends, O_CLOEXEC | O_NONBLOCK), "pipe2");
  Fd out(ends[0]);
  Fd in(ends[1]);
  // The same number of slots as the source pipe.
  if (int size = ::fcntl(read_end, F_GETPIPE_SZ); size > 0) ::fcntl(in.get(), F_SETPIPE_SZ, size);
  if (::tee(read_end, in.get(), 1U << 30U, SPLICE_F_NONBLOCK) < 0)
    return errno == EAGAIN ? "empty" : std::string("tee:") + ::strerrorname_np(errno);
  std::string text;
  char block[65536];
  ssize_t n = 0;
  while ((n = ::read(out.get(), block, sizeof block)) > 0)
    text.append(block, static_cast<std::size_t>(n));
  return std::to_string(text.size()) + ":" + hex(hash_of(text));
}

std::string memory_hash(const void* start, std::size_t size) {
  constexpr std::size_t kPage = 4096;
  std::uint64_t value = 0;
  std::size_t missing = 0;
  for (std::size_t at = 0; at < size; at += kPage) {
    char page[kPage];
    char* from = static_cast<char*>(const_cast<void*>(start)) + at;
    bool is_read = copied(page, from, kPage);
    if (!is_read && ::mprotect(from, kPage, PROT_READ) == 0) {
      is_read = copied(page, from, kPage);
      must(::mprotect(from, kPage, PROT_NONE), "mprotect");  // the read failed because of PROT_NONE
    }
    if (!is_read) {
      ++missing;
      continue;
    }
    value = value * 31 + hash_of({page, kPage});
  }
  return hex(value) + (missing == 0 ? "" : "-" + std::to_string(missing) + "-pages");
}

std::string mappings_in(const void* start, std::size_t size) {
  auto first = reinterpret_cast<std::uintptr_t>(start);
  std::istringstream lines(read_whole("/proc/self/smaps"));
  std::string joined;
  std::string last_kind;
  std::uintptr_t last_end = 0;
  unsigned long from = 0;
  unsigned long to = 0;
  char protection[8] = {};
  for (std::string line; std::getline(lines, line);) {
    unsigned long first_byte = 0;  // other lines may begin with hexadecimal digits as well
    if (std::sscanf(line.c_str(), "%lx-%lx %7s", &first_byte, &to, protection) == 3) {
      from = first_byte;
      continue;
    }
    if (!line.starts_with("VmFlags:") || to <= first || from >= first + size) continue;
    std::string kind = protection;
    std::istringstream words(line.substr(8));
    // Ignore flags that the process did not ask for: soft-dirty pages, the engine's write tracking,
    // and accounting of memory that was once writable.
    for (std::string flag; words >> flag;)
      if (flag != "sd" && flag != "uw" && flag != "um" && flag != "ac") kind += "," + flag;
    // The kernel may have merged the mapping with its neighbour.
    if (kind != last_kind || from != last_end)
      joined += "[" + hex(std::max<std::uintptr_t>(from, first) - first) + " " + kind + "]";
    last_kind = kind;
    last_end = to;
  }
  return joined;
}

void SharedCount::make(const std::string& path) {
  path_ = path + ".count";
  set(0);
}

std::int64_t SharedCount::get() const { return std::atoll(read_whole(path_).c_str()); }

void SharedCount::set(std::int64_t value) const { write_whole(path_, std::to_string(value)); }

bool readable(int fd) {
  pollfd wanted{fd, POLLIN, 0};
  return ::poll(&wanted, 1, 10'000) == 1;
}

}  // namespace zoo
