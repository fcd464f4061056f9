// Boots a virtual machine, in which the agent is the only init: loads the drivers, mounts the disk
// as the root, mounts the kernel's file systems and sets the loopback device up.
#pragma once

#include <string>

#include "base/result.h"

namespace sf::agent {

// Loads the drivers in /modules in the order of their names. Requires: the caller is PID 1 of an
// initial RAM disk.
Status boot_guest();
// The device of the virtio port to the host, such as /dev/vport0p1. Waits until its driver has
// created it.
Result<std::string> find_host_port();

}  // namespace sf::agent
