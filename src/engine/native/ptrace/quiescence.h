// May a tree be kept still for any time, and nobody notice? It may when each of its threads waits
// for what only the tree itself or its keeper can bring. Pure.
#pragma once

#include <sys/user.h>

#include <array>
#include <cstdint>
#include <map>
#include <optional>

#include "engine/native/facts.h"

namespace sf::waypoint::native {

// What a stopped thread was doing.
struct SystemCall {
  long number = 0;  // the call's own (InterruptedCalls::learn)
  std::array<std::uint64_t, 5> arguments{};
  long result = 0;  // as the kernel has it while the call is interrupted
};
SystemCall call_of(const user_regs_struct& registers, long number);

// Until when it waits. What is not known to wait does not.
enum class Wait { kForEver, kForATime, kNot };
Wait wait_of(const SystemCall& call, const ProcessFacts& process);

// Whether somebody outside of the tree might wait for its answer, or wake it.
bool has_outsiders(const ProcessFacts& process);

// Of all threads; kForATime wins, since it will be so again. `calls`: by thread, without those of
// stopped jobs.
using CallsMade = std::map<pid_t, SystemCall>;
Wait wait_of(const TreeFacts& facts, const CallsMade& calls);

// For those that the kernel ends when their thread is stopped, instead of going on with them: the
// registers that make the call once more.
std::optional<user_regs_struct> made_once_more(const user_regs_struct& registers);

}  // namespace sf::waypoint::native
