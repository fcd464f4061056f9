// File locks: flock, POSIX and open file description locks.
//
// Saved: the lines of fdinfo, which show each lock with the descriptor that holds it. Brought back:
// by a process that has the descriptor; POSIX locks by their owner. Declined: leases, and locks
// that somebody waits for are taken as they are held: the waiting call is made again.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "engine/native/image.h"
#include "engine/native/program/program_writer.h"

namespace sf::waypoint::native {

// Pure. From fdinfo; nothing: a kind of lock that is not known here.
std::optional<std::vector<FileLock>> parse_locks(std::string_view fdinfo);

void bring_back_locks(ProgramWriter& program, const ProcessImage& process, const TreeImage& tree);

}  // namespace sf::waypoint::native
