// The processes around the caller, as its own /proc shows them, but for those of its own program
// and of the kernel.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

namespace sf::agent {

struct ListedProcess {
  pid_t pid = 0;
  std::uint64_t start_time = 0;      // pids are used again
  bool ended = false;                // and waits to be reaped
  std::uint64_t resident_bytes = 0;  // without pages of files, which come back from the files
};

std::vector<ListedProcess> list_processes();

}  // namespace sf::agent
