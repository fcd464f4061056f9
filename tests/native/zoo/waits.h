// Wait: a way to be in a system call for long. One thread waits, another wakes it.
#pragma once

#include <memory>
#include <string>

#include "resource.h"

namespace zoo {

class Wait {
 public:
  virtual ~Wait() = default;
  virtual void make(Chance& chance, const std::string& path) = 0;
  // Returns when it was woken, with what the call said; called by the thread again and again.
  virtual std::string wait() = 0;
  virtual void wake(pid_t thread) = 0;
  // Nobody wakes it: its time is far away.
  virtual bool is_sleep() const { return false; }
};

std::unique_ptr<Wait> choose_wait(Chance& chance);

}  // namespace zoo
