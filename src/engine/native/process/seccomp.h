// Filters of system calls (seccomp).
//
// Saved: every filter of every thread, oldest first. While a thread is traced its filters are
// suspended, so that they judge none of the engine's own calls. Brought back: by the thread itself,
// as its last call. Declined: strict mode; filters of a thread that could not install them any more
// (neither no_new_privs nor CAP_SYS_ADMIN). Threads that shared a filter have copies of it.
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

// Suspends them, too.
Result<std::vector<FilterImage>> capture_filters(const StatusText& status, Tracee& thread);

// Requires: the thread is stopped and sees `arena`. What it calls until it is let go is not judged.
Status install_filters(Tracee& thread, std::uint64_t syscall_instruction,
                       const std::vector<FilterImage>& filters, Arena& arena);

}  // namespace sf::waypoint::native
