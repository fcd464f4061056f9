// The main loop of a branch's PID 1: reaps processes, starts shells and side commands on request,
// and reports when they end. Uses a fixed buffer instead of the heap, and needs no file of the root
// file system.
#pragma once

namespace sf::waypoint {

// Requires: the caller is PID 1's main thread, and holds the descriptors of init_protocol.h.
[[noreturn]] void run_init();

}  // namespace sf::waypoint
