// Creates the pipes and memory files of init_protocol.h at their descriptor numbers.
#pragma once

namespace sf::waypoint {

// make_init_channel() uses descriptor numbers below this one.
inline constexpr int kInitScratchEnd = 96;

// Returns null, or the name of the failed step, with errno set. Makes only async-signal-safe calls.
// Overwrites all descriptors below kInitFdEnd except the standard streams.
const char* make_init_channel();

}  // namespace sf::waypoint
