// StoreWatch: a thread that keeps the store fitted to the room its host has (FileLayerStore::
// fit_to_host()). A look that fails is repeated: there is nothing else to do about a full disk.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/result.h"
#include "waypoint/file_layer_store.h"

namespace sf::waypoint {

class StoreWatch {
 public:
  // Looks once before it returns. Requires: `file layers` outlives it. Called once.
  Status start(FileLayerStore& file_layers);

 private:
  void loop(const std::stop_token& stop, FileLayerStore& file_layers);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::jthread thread_;  // last: it uses the others
};

}  // namespace sf::waypoint
