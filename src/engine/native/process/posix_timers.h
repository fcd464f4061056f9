// POSIX timers (timer_create).
//
// Saved: what /proc/pid/timers lists, and the time left, which the process itself is asked for.
// Restored: with their ids (PR_TIMER_CREATE_RESTORE_IDS, Linux 6.15). Declined: timers that the
// list describes in unknown words; all timers on older kernels.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "engine/native/image.h"
#include "engine/native/program/program_writer.h"

namespace sf::waypoint::native {

// Pure. Thread ids are those in the list, from the reader's PID namespace. Nothing: unknown format.
std::optional<std::vector<PosixTimer>> parse_timers(std::string_view text);
bool can_choose_timer_ids();

// Returns where the program will store the timers' times.
std::uint64_t ask_timers(ProgramWriter& program, const std::vector<PosixTimer>& timers);
void take_timers(Arena& arena, std::uint64_t asked, std::vector<PosixTimer>& timers);
void bring_back_posix_timers(ProgramWriter& program, const ProcessImage& process);

}  // namespace sf::waypoint::native
