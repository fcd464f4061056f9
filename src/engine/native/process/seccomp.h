// Filters of system calls (seccomp).
//
// Saved: every filter of every thread, oldest first. While a thread is traced, its filters are
// suspended, so that they do not apply to the engine's calls. Restored: by the thread itself, as
// its last call. Declined: strict mode; filters of a thread that may no longer install them
// (neither no_new_privs nor CAP_SYS_ADMIN). Threads that shared a filter get copies of it.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "engine/native/image.h"
#include "engine/native/process/proc_texts.h"
#include "engine/native/program/program_writer.h"
#include "engine/native/ptrace/tracee.h"

namespace sf::waypoint::native {

// Pure. Why it cannot be captured; empty: it can.
std::string seccomp_trouble(const StatusText& status);

// Also suspends the filters.
Result<std::vector<FilterImage>> capture_filters(const StatusText& status, Tracee& thread);

// Requires: the thread is stopped and sees `arena`. The filters stay suspended until it is
// released.
Status install_filters(Tracee& thread, std::uint64_t syscall_instruction,
                       const std::vector<FilterImage>& filters, Arena& arena);

}  // namespace sf::waypoint::native
