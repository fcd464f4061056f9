#include "engine/native/files/locks.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/syscall.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "base/split.h"

namespace sf::waypoint::native {
namespace {

// "lock:\t1: POSIX  ADVISORY  WRITE 77 00:2d:1234 0 EOF"
std::optional<FileLock> parse_lock(const std::string& line) {
  char kind[16] = {};
  char duty[16] = {};
  char access[16] = {};
  char end[24] = {};
  unsigned long long start = 0;
  if (std::sscanf(line.c_str(), "lock: %*d: %15s %15s %15s %*d %*s %llu %23s", kind, duty, access,
                  &start, end) != 5)
    return std::nullopt;
  FileLock lock;
  if (std::strcmp(kind, "FLOCK") == 0)
    lock.kind = LockKind::kFlock;
  else if (std::strcmp(kind, "POSIX") == 0)
    lock.kind = LockKind::kPosix;
  else if (std::strcmp(kind, "OFDLCK") == 0)
    lock.kind = LockKind::kDescription;
  else
    return std::nullopt;
  if (std::strcmp(duty, "ADVISORY") != 0) return std::nullopt;
  lock.writes = std::strcmp(access, "WRITE") == 0 ? 1 : 0;
  if (lock.writes == 0 && std::strcmp(access, "READ") != 0) return std::nullopt;
  lock.start = start;
  if (std::strcmp(end, "EOF") != 0) {
    unsigned long long last = 0;
    if (std::sscanf(end, "%llu", &last) != 1 || last < start) return std::nullopt;
    lock.size = last - start + 1;
  }
  return lock;
}

void take(ProgramWriter& program, int fd, const FileLock& lock) {
  if (lock.kind == LockKind::kFlock)
    return program.call(SYS_flock, {fd, LOCK_NB | (lock.writes != 0 ? LOCK_EX : LOCK_SH)});
  struct flock range {};
  range.l_type = static_cast<short>(lock.writes != 0 ? F_WRLCK : F_RDLCK);
  range.l_whence = SEEK_SET;
  range.l_start = static_cast<off_t>(lock.start);
  range.l_len = static_cast<off_t>(lock.size);
  program.call(SYS_fcntl, {fd, lock.kind == LockKind::kPosix ? F_SETLK : F_OFD_SETLK,
                           program.arena().put_value(range)});
}

}  // namespace

std::optional<std::vector<FileLock>> parse_locks(std::string_view fdinfo) {
  std::vector<FileLock> locks;
  for (const std::string& line : split(fdinfo, '\n')) {
    if (!line.starts_with("lock:")) continue;
    auto lock = parse_lock(line);
    if (!lock) return std::nullopt;
    locks.push_back(*lock);
  }
  return locks;
}

void bring_back_locks(ProgramWriter& program, const ProcessImage& process, const TreeImage& tree) {
  for (const Descriptor& fd : process.descriptors) {
    const FileImage& file = tree.files[fd.file];
    program.about("locks on " + file.path);
    for (const FileLock& lock : file.locks)
      if (lock.owner == process.pid) take(program, fd.number, lock);
  }
}

}  // namespace sf::waypoint::native
