// SameCpu: while it lives, a stopped thread runs on the caller's processor when it is asked
// something. Waking another processor for each question costs more than the answer.
#pragma once

#include <sched.h>

namespace sf::waypoint::native {

class SameCpu {
 public:
  // Changes nothing where it may not.
  explicit SameCpu(pid_t tid);
  SameCpu(const SameCpu&) = delete;
  SameCpu& operator=(const SameCpu&) = delete;
  ~SameCpu();

 private:
  pid_t tid_;
  cpu_set_t own_;
  cpu_set_t its_;
  bool together_ = false;
};

}  // namespace sf::waypoint::native
