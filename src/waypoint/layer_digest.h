// What a branch changed of its files since a checkpoint, as one digest. Reads, and changes nothing.
//
// Covers: names, types, modes, owners, hard links (which names are one file), contents, link
// targets, device numbers, extended attributes. Leaves out what a replay of the same commands does
// not bring about again: times and inode numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "wire/keeper_protocol.h"

namespace sf::waypoint {

// Begins every digest of a branch. Another number whenever a digest is made in another way: what is
// recorded may be compared by a later version.
inline constexpr std::string_view kDigestFormat = "format:3";

using wire::DigestLimits;

// `layer` and `base`: two OverlayFS upper directories. A file with the inode number, size, mode and
// time of change that it has in `base` is not read, unless it was changed right before `base` was
// taken: the next change may have the same time. kUnsupported: it would cost more than `limits`.
Result<std::string> digest_layer(const std::string& layer, const std::string& base,
                                 const DigestLimits& limits);

}  // namespace sf::waypoint
