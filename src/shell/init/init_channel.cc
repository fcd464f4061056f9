#include "shell/init/init_channel.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <initializer_list>

#include "shell/init/init_protocol.h"

namespace sf::waypoint {
namespace {

// The descriptors are created above the fixed numbers, then moved down, so that none overwrites
// another.
constexpr int kScratch = 64;

bool location(int fd, int number) {
  if (fd < 0 || ::dup2(fd, kScratch + number) < 0) return false;
  ::close(fd);
  return true;
}

}  // namespace

const char* make_init_channel() {
  for (int first : {kEventRead, kAckRead, kRequestRead}) {
    int ends[2];
    if (::pipe(ends) != 0) return "pipe";
    if (!location(ends[0], first) || !location(ends[1], first + 1)) return "create channel";
  }
  if (!location(::memfd_create("waypoint-command", 0), kCommandText) ||
      !location(::memfd_create("waypoint-script", 0), kScript) ||
      !location(::memfd_create("waypoint-rc", 0), kRcFile) ||
      !location(::memfd_create("waypoint-request", 0), kRequestText))
    return "create channel";
  for (int fd = kEventRead; fd < kInitFdEnd; ++fd) {
    if (::dup2(kScratch + fd, fd) < 0) return "dup2";
    ::close(kScratch + fd);
  }
  return nullptr;
}

}  // namespace sf::waypoint
