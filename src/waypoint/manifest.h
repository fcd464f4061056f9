// Manifest: the versioned record of one checkpoint (docs/formats/store.md). Pure.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "shell/branch_config.h"
#include "waypoint/keeper/captured_state.h"
#include "waypoint/waypoint.h"

namespace sf::waypoint {

inline constexpr int kManifestVersion = 3;
inline constexpr int kOldestManifest = 2;               // without `base` and fingerprints
inline constexpr std::string_view kFilesOnly = "none";  // engine of a checkpoint of files

struct Manifest {
  CheckpointInfo info;
  BranchConfig config;
  CapturedState state;
  std::string engine = std::string(kCriuName);
  std::string boot_id;            // images refer to kernel objects of this boot
  std::string precapture_keeper;  // the keeper of the precapture it came from, if any
};

// The checkpoint with the images and the file layer that a restore uses.
inline const CheckpointId& source_of(const CheckpointInfo& info) {
  return info.base ? *info.base : info.id;
}
// Fails if this boot or this program cannot restore it.
Status check_restorable(const Manifest& manifest, const std::string& boot_id);
std::string manifest_text(const Manifest& manifest);
// Fails with kCorrupt for an unknown version or a missing key; the message names it.
Result<Manifest> parse_manifest(const std::string& text, const std::string& terminal);

}  // namespace sf::waypoint
