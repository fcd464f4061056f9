// What PID 1 of a branch does: reaps, starts shells and side commands when it is asked to, reports
// what ended. No heap beyond a fixed buffer, nothing that a root file system would have to provide.
#pragma once

namespace sf::waypoint {

// Requires: the caller is PID 1's main thread, and holds the descriptors of init_protocol.h.
[[noreturn]] void run_init();

}  // namespace sf::waypoint
