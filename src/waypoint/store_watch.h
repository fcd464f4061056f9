// StoreWatch: a thread that adapts the store to the free space of its host
// (FileLayerStore::fit_to_host()). A failed call is repeated, since there is no other remedy for a
// full disk.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/result.h"
#include "waypoint/file_layer_store.h"

namespace sf::waypoint {

class StoreWatch {
 public:
  // Adapts the store once before it returns. Call it once. Requires: `file_layers` outlives this
  // object.
  Status start(FileLayerStore& file_layers);

 private:
  void loop(const std::stop_token& stop, FileLayerStore& file_layers);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::jthread thread_;  // last: it uses the others
};

}  // namespace sf::waypoint
