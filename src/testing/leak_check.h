// What a test may leave on the host, and whose it is: mounts, loop devices, cgroups, processes,
// shared memory.
//
// Test binaries run side by side, so counts alone would blame a neighbour. Everything is found by a
// *mark*, a text that is the test's own: its store's directory, the ids of its branches.
#pragma once

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"

namespace sf::test {

// Plain data: each entry is one line that a person can act upon.
struct HostState {
  std::set<std::string> mounts;         // lines of mountinfo
  std::set<std::string> loop_devices;   // "loop3 /var/tmp/x/store.img"
  std::set<std::string> cgroups;        // directories below any statefork/
  std::set<std::string> processes;      // "pid command line, cgroups"
  std::set<std::string> shared_memory;  // names in /dev/shm
};

HostState read_host_state();

// Pure: what `after` has more than `before` and that carries one of the marks. /dev/shm is judged
// by the names that our programs use ("sf-..."), since a branch must never write there at all.
std::vector<std::string> leaks(const HostState& before, const HostState& after,
                               const std::vector<std::string>& marks);

// Remembers the host on construction; verify() fails the running test when something of ours is
// left.
class LeakCheck {
 public:
  LeakCheck() : before_(read_host_state()) {}
  void add_mark(std::string mark) { marks_.push_back(std::move(mark)); }
  // Ending processes and lazily unmounted file systems get until the deadline.
  void verify(Deadline deadline) const;

 private:
  HostState before_;
  std::vector<std::string> marks_;
};

}  // namespace sf::test
