// Formats the differences between two states of a session, from the API's JSON. Pure.
#pragma once

#include <string>

#include "wire/json.h"

namespace sf::cli {

enum class DiffDetail { kPatches, kStat, kFileNames };
enum class Colours { kOff, kNone, kOn };  // kNone: a terminal without colours

//   Files
//     + /root/new  file, mode 0644, owner 0:0, 4 bytes
//     ~ /root/f    2 bytes -> 4 bytes
//   --- /root/f
//   +++ /root/f
//   ...
//   Processes
//     + sleep 1000
//   Working directory
//     ~ / -> /tmp
//
// kStat: counts of added and removed lines instead of patches, and a total. kFileNames: only the
// paths of the differing files. Patches are unchanged, for `patch -p1 -d DIR`, except on a
// terminal, where their control characters are made visible.
std::string diff_text(const wire::Json& diff, DiffDetail detail, Colours colours);

}  // namespace sf::cli
