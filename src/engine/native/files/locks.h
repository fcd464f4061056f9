// File locks: flock, POSIX and open file description locks.
//
// Saved: fdinfo, which shows each lock at the descriptor that holds it. Restored: by a process that
// has the descriptor; POSIX locks by their owner. A thread that waits for a lock repeats its call.
// Declined: leases.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "engine/native/image.h"
#include "engine/native/program/program_writer.h"

namespace sf::waypoint::native {

// Pure. Parses fdinfo. Nothing: a lock of an unknown type.
std::optional<std::vector<FileLock>> parse_locks(std::string_view fdinfo);

void bring_back_locks(ProgramWriter& program, const ProcessImage& process, const TreeImage& tree);

}  // namespace sf::waypoint::native
