#include "waypoint/flusher.h"

#include "base/clock.h"

namespace sf::waypoint {
namespace {

constexpr auto kAfter = milliseconds(10);  // a command that ends sooner has little to write
constexpr auto kEvery = milliseconds(30);

}  // namespace

Flusher::Flusher(const UnitStore& units)
    : thread_([this, &units](const std::stop_token& stop) { loop(stop, units); }) {}

void Flusher::set_active(bool active) {
  {
    std::lock_guard lock(mutex_);
    active_ = active;
  }
  changed_.notify_all();
}

void Flusher::begin() {
  {
    std::lock_guard lock(mutex_);
    wanted_ = true;
  }
  changed_.notify_all();
}

void Flusher::loop(const std::stop_token& stop, const UnitStore& units) {
  std::unique_lock lock(mutex_);
  auto interrupted = [&] { return !active_ || wanted_; };
  while (changed_.wait(lock, stop, [&] { return active_ || wanted_; }) && !stop.stop_requested()) {
    if (!wanted_ && changed_.wait_for(lock, stop, kAfter, interrupted) && !wanted_) continue;
    for (bool last = false; !last && !stop.stop_requested();) {
      last = !active_;  // once more after a command's end, for what it wrote last
      wanted_ = false;
      lock.unlock();
      units.flush();
      lock.lock();
      if (!last) changed_.wait_for(lock, stop, kEvery, interrupted);
    }
  }
}

}  // namespace sf::waypoint
