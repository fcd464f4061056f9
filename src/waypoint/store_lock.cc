#include "waypoint/store_lock.h"

#include <fcntl.h>

#include "base/clock.h"
#include "os/file.h"
#include "os/file_lock.h"

namespace sf::waypoint {
namespace {

constexpr auto kLockTimeout = milliseconds(500);

}  // namespace

Status check_store_location(const std::string& dir) {
  if (dir != "/run" && !dir.starts_with("/run/")) return Ok{};
  return invalid("the store cannot be below /run: each keeper has its own /run",
                 "use /var/lib/statefork");
}

Result<os::UniqueFd> lock_store(const std::string& dir) {
  auto opened = os::open_file(dir + "/lock", O_RDWR | O_CREAT);
  if (!opened) return std::move(opened).error().with_hint("choose a writable store directory");
  os::UniqueFd lock = std::move(*opened);
  SF_TRY_ASSIGN(bool ours, os::take_lock(lock, Deadline::after(kLockTimeout)));
  if (!ours)
    return fail(ErrorCode::kBusy, "another process uses the store " + dir,
                "stop the other process, or use another store");
  return lock;
}

}  // namespace sf::waypoint
