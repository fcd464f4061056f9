// Directory trees: remove, copy (metadata, hard links, xattrs, sparse files, special files),
// measure.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace sf::os {

// Does not follow links and does not cross into another file system. Succeeds if the path is
// missing.
Status remove_tree(const std::string& path);
// Copies the directory `from` to `to`, which must not exist. Shares file data by reflink if the
// file system supports it. Requires: no process writes below `from` during the copy.
Status copy_tree(const std::string& from, const std::string& to);
// Bytes allocated on disk below `path`; hard links counted once.
std::uint64_t tree_bytes(const std::string& path);

}  // namespace sf::os
