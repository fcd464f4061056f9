#include "waypoint/keeper/flusher.h"

#include <system_error>

#include "base/clock.h"
#include "os/error.h"

namespace sf::waypoint {
namespace {

constexpr auto kAfter = milliseconds(10);  // a command that ends sooner has little to write
constexpr auto kEvery = milliseconds(30);

}  // namespace

Status Flusher::start(const FileLayerStore& file_layers) {
  try {
    thread_ = std::jthread(
        [this, &file_layers](const std::stop_token& stop) { loop(stop, file_layers); });
    return Ok{};
  } catch (const std::system_error& e) {
    return os::os_error(e.code().value(), "starting a thread");
  }
}

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

void Flusher::loop(const std::stop_token& stop, const FileLayerStore& file_layers) {
  std::unique_lock lock(mutex_);
  auto interrupted = [&] { return !active_ || wanted_; };
  while (changed_.wait(lock, stop, [&] { return active_ || wanted_; }) && !stop.stop_requested()) {
    if (!wanted_ && changed_.wait_for(lock, stop, kAfter, interrupted) && !wanted_) continue;
    for (bool last = false; !last && !stop.stop_requested();) {
      last = !active_;  // flush again after the command's end
      wanted_ = false;
      lock.unlock();
      file_layers.flush();
      lock.lock();
      if (!last) changed_.wait_for(lock, stop, kEvery, interrupted);
    }
  }
}

}  // namespace sf::waypoint
