// The native engine: captures a tree into memory files of the store, and restores it on the same
// host and boot (docs/decisions/0013-native-engine.md). It traces from the calling thread.
#pragma once

#include <memory>
#include <string>

#include "engine/engine.h"
#include "shell/init/cgroup_forker.h"

namespace sf::waypoint {

struct NativeSetup {
  std::string freezer;          // the branch's cgroup v2 directory, or empty
  std::string directory;        // private to the engine, on the file system of the images
  CgroupForker& cgroup_forker;  // creates restored trees in their cgroup
};

std::unique_ptr<ProcessEngine> make_native_engine(NativeSetup setup);

}  // namespace sf::waypoint
