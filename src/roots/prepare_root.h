// prepare_root: from what a user has to a directory with a root file system, for sessions to start
// over. What is unpacked is kept by digest and unpacked once. docs/roots.md has the whole.
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
  std::string digest;  // empty: a directory of the user's own
  ImageConfig config;
};

struct PrepareOptions {
  std::string cache_dir;
  std::string image;  // which one of an archive or layout that has several
  UnpackLimits limits;
  Progress progress;
};

// `source` is the name or digest of a root in the cache; or the path of a directory with a root
// file system (used as it is), of an OCI image layout, or of an archive: a tar of a root file
// system, `docker save`, or a tar of an OCI layout, uncompressed or with gzip, bzip2, xz or zstd. A
// word without a slash is taken for a name first. Unpacking needs root.
Result<RootImage> prepare_root(const std::string& source, const PrepareOptions& options);

// kUnsupported, with what to do, when this process may not make other people's files.
Status require_root();

// Of a root that is in the cache.
RootImage root_image(const RootCache& cache, const RootRecord& record);

}  // namespace sf::roots
