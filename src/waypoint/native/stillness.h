// May a tree be kept still for any time, and nobody notice? It may when each of its threads waits
// for what only the tree itself or its keeper can bring. Pure.
#pragma once

#include <sys/user.h>

#include <array>
#include <cstdint>

#include "waypoint/native/facts.h"

namespace sf::waypoint::native {

// What a stopped thread was doing.
struct SystemCall {
  long number = 0;
  std::array<std::uint64_t, 5> arguments{};
  long result = 0;  // as the kernel has it while the call is interrupted
};
// `number`: the call's own (InterruptedCalls::learn).
SystemCall call_of(const user_regs_struct& registers, long number);

// Until when it waits. What is not known to wait does not.
enum class Wait { kForEver, kForATime, kNot };
Wait wait_of(const SystemCall& call, const ProcessFacts& process);
// Whether somebody outside of the tree might wait for its answer.
bool may_be_asked(const ProcessFacts& process);

}  // namespace sf::waypoint::native
