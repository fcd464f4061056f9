#include "engine/native/ptrace/remote_fd.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "os/error.h"

namespace sf::waypoint::native {

Result<os::UniqueFd> descriptor_of(pid_t pid, int number) {
  os::UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!process.valid()) return os::last_error("opening process " + std::to_string(pid));
  os::UniqueFd fd(static_cast<int>(::syscall(SYS_pidfd_getfd, process.get(), number, 0)));
  if (!fd.valid())
    return os::last_error("taking descriptor " + std::to_string(number) + " of process " +
                          std::to_string(pid));
  return fd;
}

}  // namespace sf::waypoint::native
