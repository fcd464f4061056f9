// A program: system calls as plain data, made one after another by a small interpreter
// (syscall_interpreter.cc). The engine writes programs, and the interpreter runs them inside other
// processes: in a live process to query what only that process can, in a new process to rebuild the
// captured state. Layout shared with freestanding code: no constructors that run, no pointers into
// the engine.
#pragma once

#include <cstdint>

namespace sf::waypoint::native {

// Used in place of a system call's number.
enum Pseudo : long {
  kFork = -1,   // args: clone_args, the child's Program; the child starts on clone_args.stack
  kAdd = -2,    // args: word; adds one and wakes the waiters
  kAwait = -3,  // args: word, value; waits until the word has reached the value
  kLoad = -4,   // args: address; the result is the 32-bit number there
  kTrap = -5,   // stops for the tracer, which takes over the thread
  kPark = -6,   // args: word, door; adds one to the word and sleeps at the door for the tracer
};

struct Step {
  long number;
  std::uint64_t args[6];
  std::uint32_t from_values;  // bit i: args[i] is an index into the program's values
  std::int32_t keep;          // index into the values where the result goes; negative: nowhere
  std::uint32_t may_fail;     // a negative result is not a failure
  long exactly;               // not 0: any other result is a failure
  std::uint32_t subject;      // what the step is about: an index into the engine's own list
  long result;
};

struct Failure {
  std::uint32_t happened;  // futex: the engine waits here too
  std::uint32_t subject;
  long number;
  long result;
  std::uint32_t program;
};

struct Program {
  std::uint64_t steps;  // addresses, the same in every process that runs it
  std::uint64_t count;
  std::uint64_t values;
  std::uint64_t failure;  // shared by all programs of a tree; 0: the caller checks the results
  std::uint32_t id;
};

}  // namespace sf::waypoint::native
