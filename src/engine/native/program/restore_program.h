// Writes the program of every process of a tree: how it is born, joins its session and group, and
// becomes what was captured.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "engine/native/files/files.h"
#include "engine/native/image.h"
#include "engine/native/process/fork_order.h"
#include "engine/native/program/program_writer.h"
#include "engine/native/program/shared_arena.h"

namespace sf::waypoint::native {

struct TreePrograms {
  std::uint64_t entry = 0;  // of the interpreter
  std::uint64_t first = 0;  // init's program
  std::uint64_t stack = 0;  // init's
  std::uint64_t failure = 0;
  std::uint64_t parked = 0;   // word: how many threads are what they were
  std::uint32_t threads = 0;  // how many there will be
  FdLocations locations;
  std::vector<std::string> subjects;  // for failures
};

// What init brings along: descriptors of the process it is a copy of.
struct RestoreInputs {
  std::vector<int> pages;  // the pages files
  int pid_counter;         // see pid_counter.h
  pid_t last_pid;          // what goes there
  bool lazy;               // large memory comes later (memory_watches.h)
};

Result<TreePrograms> write_programs(SharedArena& shared, const TreeImage& tree,
                                    const RestoreInputs& gifts, const AsyncRoot& root);

}  // namespace sf::waypoint::native
