#include "waypoint/store_watch.h"

#include <system_error>

#include "os/error.h"

namespace sf::waypoint {
namespace {

constexpr milliseconds kAfterFailure{100};

milliseconds look(UnitStore& units) {
  auto next = units.fit_to_host();
  return next ? *next : kAfterFailure;
}

}  // namespace

Status StoreWatch::start(UnitStore& units) {
  (void)look(units);
  try {
    thread_ = std::jthread([this, &units](const std::stop_token& stop) { loop(stop, units); });
    return Ok{};
  } catch (const std::system_error& e) {
    return os::os_error(e.code().value(), "starting a thread");
  }
}

void StoreWatch::loop(const std::stop_token& stop, UnitStore& units) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    const milliseconds pause = look(units);
    changed_.wait_for(lock, stop, pause, [] { return false; });
  }
}

}  // namespace sf::waypoint
