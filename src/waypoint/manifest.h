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
inline constexpr int kOldestManifest = 2;               // the same without `base` and fingerprints
inline constexpr std::string_view kFilesOnly = "none";  // in the engine's place: no processes

struct Manifest {
  CheckpointInfo info;
  BranchConfig config;
  CapturedState state;
  std::string engine = std::string(kCriuName);
  std::string boot_id;            // images hold kernel objects' identities of this boot
  std::string precapture_keeper;  // whose capture made ahead of time it was; empty: nobody's
};

// Which checkpoint's images and file layer it is brought back from.
inline const CheckpointId& source_of(const CheckpointInfo& info) {
  return info.base ? *info.base : info.id;
}
// Whether this boot and this program can bring it back.
Status check_restorable(const Manifest& manifest, const std::string& boot_id);
std::string manifest_text(const Manifest& manifest);
// Unknown version or missing key: kCorrupt, and the message names it.
Result<Manifest> parse_manifest(const std::string& text, const std::string& terminal);

}  // namespace sf::waypoint
