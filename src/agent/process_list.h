// Lists the processes in the caller's /proc, without kernel threads and without the processes that
// run the caller's own program.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

namespace sf::agent {

struct ListedProcess {
  pid_t pid = 0;
  std::uint64_t start_time = 0;      // the kernel reuses pids
  bool ended = false;                // a zombie
  std::uint64_t resident_bytes = 0;  // without file pages, which need not be saved
};

std::vector<ListedProcess> list_processes();

}  // namespace sf::agent
