// The pipes and memory files of init_protocol.h, at their numbers.
#pragma once

namespace sf::waypoint {

// Numbers below this one are used in between.
inline constexpr int kInitScratchEnd = 96;

// Null, or the step that failed, with errno. Only async-signal-safe calls.
// Requires: nothing of use is open below kInitFdEnd but the standard streams.
const char* make_init_channel();

}  // namespace sf::waypoint
