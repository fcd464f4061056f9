// Writes the restore program of every process of a tree: how it is forked, joins its session and
// group, and rebuilds the captured state.
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
  std::uint64_t parked = 0;   // word: number of threads with their captured state
  std::uint32_t threads = 0;  // number of threads in all
  FdLocations locations;
  std::vector<std::string> subjects;  // for failures
};

// What init inherits: descriptors of the process that it is forked from.
struct RestoreInputs {
  std::vector<int> pages;  // the pages files
  int pid_counter;         // see pid_counter.h
  pid_t last_pid;          // value for the counter
  bool lazy;               // large memory is loaded on demand (memory_watches.h)
};

Result<TreePrograms> write_programs(SharedArena& shared, const TreeImage& tree,
                                    const RestoreInputs& gifts, const AsyncRoot& root);

}  // namespace sf::waypoint::native
