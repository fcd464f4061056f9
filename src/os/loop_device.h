// Loop devices: a file as a block device. Auto-clear: the kernel frees the device with its last
// user.
#pragma once

#include <string>

#include "base/result.h"
#include "os/fd.h"

namespace sf::os {

struct LoopDevice {
  UniqueFd fd;  // keeps the device until somebody else (a mount) holds it
  std::string path;
};

// The device that already serves this file, or a new one. Two devices over one file would corrupt
// it.
Result<LoopDevice> attach_loop(const std::string& image_path);
// The file has another size now: so has the device.
Status follow_file_size(const LoopDevice& device);

}  // namespace sf::os
