// From archives to a directory: layers in their order, each checked against its digests.
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
  std::string blob_digest;  // of the part as it lies there; may be empty
  std::string diff_id;      // of the uncompressed archive; may be empty
};

// In an image's layers some names hide files of layers below; elsewhere they are ordinary names.
enum class Whiteouts { kApplied, kOrdinaryNames };

// Requires: `root` is an empty directory of the caller's own. After a failure (kCorrupt when a
// digest is not the right one) it holds rubbish.
Result<UnpackReport> unpack_layers(const std::vector<Layer>& layers, Whiteouts whiteouts,
                                   const std::string& root, const UnpackLimits& limits,
                                   const Progress& progress);

}  // namespace sf::roots
