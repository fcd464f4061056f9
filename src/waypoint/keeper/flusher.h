// Flusher: writes back dirty file data during commands and captures. Sealing a file layer waits for
// all dirty data, so it then waits for less.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/result.h"
#include "waypoint/file_layer_store.h"

namespace sf::waypoint {

class Flusher {
 public:
  // Requires: `file_layers` outlives it; called once.
  Status start(const FileLayerStore& file_layers);
  // While active, that is, while a command runs, writes data back repeatedly.
  void set_active(bool active);
  // Starts one writeback in the background.
  void begin();

 private:
  void loop(const std::stop_token& stop, const FileLayerStore& file_layers);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool active_ = false;  // guarded by mutex_
  bool wanted_ = false;  // guarded by mutex_
  std::jthread thread_;  // last: it uses the others
};

}  // namespace sf::waypoint
