#include "waypoint/store_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <thread>

#include "base/clock.h"
#include "os/file.h"

namespace sf::waypoint {
namespace {

constexpr auto kLockPatience = milliseconds(500);

}  // namespace

Status check_store_place(const std::string& dir) {
  if (dir != "/run" && !dir.starts_with("/run/")) return Ok{};
  return invalid("the store cannot lie below /run: keepers have a /run of their own",
                 "use /var/lib/statefork");
}

Result<os::UniqueFd> lock_store(const std::string& dir) {
  auto opened = os::open_file(dir + "/lock", O_RDWR | O_CREAT);
  if (!opened)
    return std::move(opened).error().with_hint("choose a store directory that can be written");
  os::UniqueFd lock = std::move(*opened);
  // A child that a killed manager was just about to start holds its lock until it execs.
  Deadline deadline = Deadline::after(kLockPatience);
  while (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    if (deadline.passed())
      return fail(ErrorCode::kBusy, "another process uses the store " + dir,
                  "one process owns a store at a time");
    std::this_thread::sleep_for(milliseconds(5));
  }
  return lock;
}

}  // namespace sf::waypoint
