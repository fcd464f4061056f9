// What changed between two states of a session, in the words of a user; from the JSON of the API.
// Pure.
#pragma once

#include <string>

#include "wire/json.h"

namespace sf::cli {

enum class DiffDetail { kPatches, kStat, kFileNames };
enum class Colours { kOff, kNone, kOn };  // kNone: a terminal that is to show none

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
// kStat: no patches but how many lines came and went, and a sum at the end. kFileNames: the paths
// of the files that differ, and nothing else. Patches are as they are, for `patch -p1 -d DIR`,
// except on a terminal, where controls in them are made visible.
std::string diff_text(const wire::Json& diff, DiffDetail detail, Colours colours);

}  // namespace sf::cli
