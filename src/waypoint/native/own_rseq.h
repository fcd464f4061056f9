// The rseq area of the thread that runs this: a new process inherits it and must give it up before
// its memory goes.
#pragma once

#include "waypoint/native/program_writer.h"

namespace sf::waypoint::native {

void unregister_own_rseq(ProgramWriter& program);

}  // namespace sf::waypoint::native
