// PlainArchive: gives access to the members of an archive in any order. A compressed archive is
// decompressed into an unnamed file, which is freed with this object.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "os/fd.h"
#include "roots/file_part.h"
#include "roots/progress.h"

namespace sf::roots {

struct PlainArchive {
  FilePart part;
  os::UniqueFd copy;  // not open: the archive is not compressed
};

// `scratch`: a directory for the copy, which may use up to `max_bytes`.
Result<PlainArchive> open_plain_archive(const std::string& path, const std::string& scratch,
                                        std::uint64_t max_bytes, const Progress& progress);

}  // namespace sf::roots
