#include "service/housekeeper.h"

#include "base/clock.h"

namespace sf::service {
namespace {

constexpr seconds kLook{1};
constexpr seconds kCollect{600};

}  // namespace

void Housekeeper::keep_house(const std::stop_token& stop, SessionDirectory& directory,
                             DaemonLog& log) {
  Deadline collect = Deadline::after(kCollect);
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    changed_.wait_for(lock, stop, kLook, [] { return false; });
    directory.end_expired();
    directory.mend_backends();
    if (!collect.passed()) continue;
    collect = Deadline::after(kCollect);
    if (auto done = directory.collect_garbage(); !done.ok())
      log.error("collecting garbage", done.error());
  }
}

}  // namespace sf::service
