// Credentials of each thread: ids, groups, capabilities, secure bits, no_new_privs.
//
// Saved: what /proc says, and the secure bits, which only the thread itself can read. Brought back
// near the end, since everything before needs the engine's privileges. Declines nothing.
#pragma once

#include "engine/native/image.h"
#include "engine/native/program/program_writer.h"

namespace sf::waypoint::native {

void bring_back_credentials(ProgramWriter& program, const Credentials& who);

}  // namespace sf::waypoint::native
