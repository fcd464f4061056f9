// Opens a store's file layers for writing.
//
// If the store's file system has failed to write metadata, the kernel keeps it read-only until it
// is unmounted everywhere. No branch can use it then, so this ends the keepers that have it mounted
// and mounts it again, in the state of its last transaction.
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
