#include "os/file_lock.h"

#include <sys/file.h>

#include <cerrno>
#include <thread>

#include "os/error.h"

namespace sf::os {
namespace {

constexpr auto kLookEvery = milliseconds(5);

}  // namespace

Result<bool> take_lock(const UniqueFd& file, Deadline deadline,
                       const std::function<bool()>& give_up) {
  while (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return last_error("locking");
    if (deadline.passed() || (give_up && give_up())) return false;
    std::this_thread::sleep_for(kLookEvery);
  }
  return true;
}

}  // namespace sf::os
