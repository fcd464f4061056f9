// Unpacks layers in order into a directory, and checks each against its digests.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "roots/file_part.h"
#include "roots/progress.h"
#include "roots/root_writer.h"

namespace sf::roots {

struct Layer {
  FilePart part;            // a tar archive, compressed or not
  std::string blob_digest;  // of the part as stored; may be empty
  std::string diff_id;      // of the uncompressed archive; may be empty
};

// In an image's layers, whiteouts hide files of lower layers; elsewhere these names have no
// meaning.
enum class Whiteouts { kApplied, kOrdinaryNames };

// Requires: `root` is an empty directory of the caller. If it fails (kCorrupt for a wrong digest),
// the content of `root` is undefined.
Result<UnpackReport> unpack_layers(const std::vector<Layer>& layers, Whiteouts whiteouts,
                                   const std::string& root, const UnpackLimits& limits,
                                   const Progress& progress);

}  // namespace sf::roots
