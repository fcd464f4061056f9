// Finds mounts, loop devices, cgroups, processes and shared memory that a test left on the host.
//
// Test binaries run in parallel, so counts alone would blame another test. Each object is
// identified by a *mark*, a text that only this test uses: its store's directory, the ids of its
// branches.
#pragma once

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"

namespace sf::test {

// Plain data: each entry is a line that helps to find the object.
struct HostState {
  std::set<std::string> mounts;         // lines of mountinfo
  std::set<std::string> loop_devices;   // "loop3 /var/tmp/x/store.img"
  std::set<std::string> cgroups;        // directories below any statefork/
  std::set<std::string> processes;      // "pid command line, cgroups"
  std::set<std::string> shared_memory;  // names in /dev/shm
};

HostState read_host_state();

// Pure: entries that `after` has, `before` has not, and that contain one of the marks. /dev/shm is
// judged by the names that our programs use ("sf-..."), since a branch must never write there.
std::vector<std::string> leaks(const HostState& before, const HostState& after,
                               const std::vector<std::string>& marks);

// The constructor records the state of the host; verify() fails the running test if it left an
// object.
class LeakCheck {
 public:
  LeakCheck() : before_(read_host_state()) {}
  void add_mark(std::string mark) { marks_.push_back(std::move(mark)); }
  // Waits until the deadline for processes that are ending and for lazily unmounted file systems.
  void verify(Deadline deadline) const;

 private:
  HostState before_;
  std::vector<std::string> marks_;
};

}  // namespace sf::test
