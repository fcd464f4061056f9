// A digest of the files that a branch changed since a checkpoint. Read-only.
//
// Covers names, types, modes, owners, hard links (which names belong to one file), contents, link
// targets, device numbers and extended attributes. Leaves out times and inode numbers, since a
// replay of the same commands does not reproduce them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "wire/keeper_protocol.h"

namespace sf::waypoint {

// The prefix of every digest of a branch. Increase the number if the computation changes, since a
// later version may compare recorded digests.
inline constexpr std::string_view kDigestFormat = "format:3";

using wire::DigestLimits;

// `layer` and `base` are OverlayFS upper directories. A file with the same inode number, size, mode
// and change time as in `base` is not read, unless it was changed right before `base` was taken: a
// later change may have got the same time. Fails with kUnsupported if the cost exceeds `limits`.
Result<std::string> digest_layer(const std::string& layer, const std::string& base,
                                 const DigestLimits& limits);

}  // namespace sf::waypoint
