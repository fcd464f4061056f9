#include "waypoint/store_watch.h"

#include <system_error>

#include "os/error.h"

namespace sf::waypoint {
namespace {

constexpr milliseconds kAfterFailure{100};

milliseconds look(FileLayerStore& file_layers) {
  auto next = file_layers.fit_to_host();
  return next ? *next : kAfterFailure;
}

}  // namespace

Status StoreWatch::start(FileLayerStore& file_layers) {
  (void)look(file_layers);
  try {
    thread_ = std::jthread(
        [this, &file_layers](const std::stop_token& stop) { loop(stop, file_layers); });
    return Ok{};
  } catch (const std::system_error& e) {
    return os::os_error(e.code().value(), "starting a thread");
  }
}

void StoreWatch::loop(const std::stop_token& stop, FileLayerStore& file_layers) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    const milliseconds pause = look(file_layers);
    changed_.wait_for(lock, stop, pause, [] { return false; });
  }
}

}  // namespace sf::waypoint
