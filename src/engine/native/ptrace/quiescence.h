// Decides whether a tree can be held stopped for any time without a process noticing. That holds if
// each of its threads waits for an event that only the tree itself or its keeper can cause. Pure.
#pragma once

#include <sys/user.h>

#include <array>
#include <cstdint>
#include <map>
#include <optional>

#include "engine/native/facts.h"

namespace sf::waypoint::native {

// The system call of a stopped thread.
struct SystemCall {
  long number = 0;  // of the original call (InterruptedCalls::learn)
  std::array<std::uint64_t, 5> arguments{};
  long result = 0;  // the kernel's internal result while the call is interrupted
};
SystemCall call_of(const user_regs_struct& registers, long number);

// How long a thread waits. A call that is not known to wait is kNot.
enum class Wait { kForEver, kForATime, kNot };
Wait wait_of(const SystemCall& call, const ProcessFacts& process);

// True if a process outside the tree might wait for an answer of this process, or wake it.
bool has_outsiders(const ProcessFacts& process);

// The result for all threads. kForATime takes precedence, since a later try would give the same.
// `calls`: by thread, without threads of stopped jobs.
using CallsMade = std::map<pid_t, SystemCall>;
Wait wait_of(const TreeFacts& facts, const CallsMade& calls);

// Registers that repeat a system call which the kernel fails, instead of restarting it, when its
// thread is stopped. Nothing: any other call.
std::optional<user_regs_struct> made_once_more(const user_regs_struct& registers);

}  // namespace sf::waypoint::native
