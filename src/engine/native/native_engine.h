// The native engine: captures a tree into memory files of the store, and brings it back; same host,
// same boot (docs/decisions/0013-native-engine.md). It traces from the calling thread.
#pragma once

#include <memory>
#include <string>

#include "engine/engine.h"
#include "shell/init/cgroup_forker.h"

namespace sf::waypoint {

struct NativeSetup {
  std::string freezer;          // the branch's group in the v2 hierarchy, or empty
  std::string directory;        // of the engine's own, on the file system of the images
  CgroupForker& cgroup_forker;  // where restored trees are born
};

std::unique_ptr<ProcessEngine> make_native_engine(NativeSetup setup);

}  // namespace sf::waypoint
