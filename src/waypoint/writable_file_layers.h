// Opens a store's file layers so that they can be written to.
//
// If the store's file system failed to write metadata once, the kernel lets nobody write to it
// until it has been unmounted everywhere. No branch can live on it, so the keepers that have it
// mounted are ended; then it is mounted anew, as of its last transaction.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "waypoint/file_layer_store.h"
#include "waypoint/waypoint.h"

namespace sf::waypoint {

// Requires: this process is the store's manager.
Result<std::unique_ptr<FileLayerStore>> open_writable_file_layers(const std::string& store_dir,
                                                                  FileLayerKind kind,
                                                                  std::uint64_t bytes);

}  // namespace sf::waypoint
