// Loop devices: a file as a block device. Auto-clear: the kernel frees a device after its last
// user.
#pragma once

#include <string>

#include "base/result.h"
#include "os/fd.h"

namespace sf::os {

struct LoopDevice {
  UniqueFd fd;  // keeps the device attached until a mount uses it
  std::string path;
};

// Returns the device that is already attached to this file, or attaches one. Two devices over one
// file would corrupt it.
Result<LoopDevice> attach_loop(const std::string& image_path);
// Updates the device's size after the file's size has changed.
Status follow_file_size(const LoopDevice& device);

}  // namespace sf::os
