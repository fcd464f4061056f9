// Flusher: writes dirty file data back beside commands and captures, so that sealing a file layer,
// which waits for all of it, finds little left to wait for.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/result.h"
#include "waypoint/file_layer_store.h"

namespace sf::waypoint {

class Flusher {
 public:
  // Requires: `file layers` outlives it. Called once.
  Status start(const FileLayerStore& file_layers);
  // Whether a command runs: while one does, data is written back again and again.
  void set_active(bool active);
  // Writes back what there is, now and in the background.
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
