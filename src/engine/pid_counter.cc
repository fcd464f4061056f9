#include "engine/pid_counter.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "os/error.h"
#include "os/fd.h"
#include "os/file.h"
#include "os/pipe.h"

namespace sf::waypoint {
namespace {

constexpr const char* kCounter = "/proc/sys/kernel/ns_last_pid";

// Only async-signal-safe calls: runs in a forked child.
bool write_counter(pid_t last) {
  char digits[16];
  char* at = digits + sizeof digits;
  unsigned value = static_cast<unsigned>(last);
  do {
    *--at = static_cast<char>('0' + value % 10);
    value /= 10;
  } while (value);
  int fd = ::open(kCounter, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  auto size = digits + sizeof digits - at;
  bool ok = ::write(fd, at, static_cast<std::size_t>(size)) == size;
  ::close(fd);
  return ok;
}

// A child forked into the namespace sees its own pid, which is the counter after the fork. It then
// sets the counter to `wanted`, or back to the value before the fork.
Result<pid_t> visit(pid_t member, pid_t wanted) {
  SF_TRY_ASSIGN(os::UniqueFd space,
                os::open_file("/proc/" + std::to_string(member) + "/ns/pid", O_RDONLY));
  SF_TRY_ASSIGN(os::Pipe pipe, os::make_pipe());
  pid_t guide = ::fork();
  if (guide < 0) return os::last_error("forking");
  if (guide == 0) {
    if (::setns(space.get(), CLONE_NEWPID) != 0) ::_exit(errno);
    pid_t visitor = ::fork();
    if (visitor < 0) ::_exit(errno);
    if (visitor == 0) {
      auto self = static_cast<pid_t>(::syscall(SYS_getpid));
      pid_t before = self - 1;
      bool ok = write_counter(wanted > 0 ? wanted : before);
      if (ok && ::write(pipe.write_end.get(), &before, sizeof before) != sizeof before) ok = false;
      ::_exit(ok ? 0 : 1);
    }
    int status = 0;
    ::waitpid(visitor, &status, 0);
    ::_exit(0);
  }
  pipe.write_end.reset();
  pid_t before = 0;
  ssize_t n = ::read(pipe.read_end.get(), &before, sizeof before);
  int status = 0;
  while (::waitpid(guide, &status, 0) < 0 && errno == EINTR) {
  }
  if (n != sizeof before)
    return os::os_error(WIFEXITED(status) ? WEXITSTATUS(status) : 0,
                        "reaching the branch's pid counter");
  return before;
}

}  // namespace

Result<pid_t> read_pid_counter(pid_t member) { return visit(member, 0); }

Result<os::UniqueFd> open_pid_counter() { return os::open_file(kCounter, O_WRONLY); }

Status write_pid_counter(pid_t member, pid_t last) {
  SF_TRY_ASSIGN(pid_t before, visit(member, last));
  (void)before;
  return Ok{};
}

}  // namespace sf::waypoint
