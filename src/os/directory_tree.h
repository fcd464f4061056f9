// Directory trees: remove, copy (metadata, hard links, xattrs, sparse files, special files),
// measure.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace sf::os {

// Never follows links and never crosses into another file system. A missing path is fine.
Status remove_tree(const std::string& path);
// Copies `from` (a directory) to `to` (must not exist). File data is shared by reflink where the
// file system can. Requires: nobody writes below `from` meanwhile.
Status copy_tree(const std::string& from, const std::string& to);
// Bytes allocated on disk below `path`; hard links counted once.
std::uint64_t tree_bytes(const std::string& path);

}  // namespace sf::os
