// Credentials of each thread: ids, groups, capabilities, secure bits, no_new_privs.
//
// Saved: the ids and capabilities in /proc, and the secure bits, which only the thread itself can
// read. Restored near the end, since earlier steps need the engine's privileges. Declined: nothing.
#pragma once

#include "engine/native/image.h"
#include "engine/native/program/program_writer.h"

namespace sf::waypoint::native {

void bring_back_credentials(ProgramWriter& program, const Credentials& who);

}  // namespace sf::waypoint::native
