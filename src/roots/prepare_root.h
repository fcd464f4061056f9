// prepare_root: makes a directory with a root file system from an image, an archive or a directory.
// Unpacked roots are cached by digest. See docs/roots.md.
#pragma once

#include <string>

#include "base/result.h"
#include "roots/image_config.h"
#include "roots/progress.h"
#include "roots/root_cache.h"
#include "roots/root_writer.h"

namespace sf::roots {

struct RootImage {
  std::string directory;
  std::string digest;  // empty: the user's own directory
  ImageConfig config;
};

struct PrepareOptions {
  std::string cache_dir;
  std::string image;  // selects one of several images of an archive or layout
  UnpackLimits limits;
  Progress progress;
};

// `source` is the name or digest of a root in the cache; or the path of a directory with a root
// file system (used in place), of an OCI image layout, or of an archive: a tar of a root file
// system, `docker save`, or a tar of an OCI layout, uncompressed or with gzip, bzip2, xz or zstd. A
// source without a slash is looked up as a name first. Unpacking needs root.
Result<RootImage> prepare_root(const std::string& source, const PrepareOptions& options);

// kUnsupported, with a hint, if this process may not create files of other users.
Status require_root();

// Requires: the root is in the cache.
RootImage root_image(const RootCache& cache, const RootRecord& record);

}  // namespace sf::roots
