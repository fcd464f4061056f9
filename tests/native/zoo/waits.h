// Wait: one way to wait in a system call. One thread waits, another wakes it.
#pragma once

#include <memory>
#include <string>

#include "resource.h"

namespace zoo {

class Wait {
 public:
  virtual ~Wait() = default;
  virtual void make(Chance& chance, const std::string& path) = 0;
  // Waits until it is woken and returns the result of the call. The thread calls it repeatedly.
  virtual std::string wait() = 0;
  virtual void wake(pid_t thread) = 0;
  // True if it is not woken, because its time is far in the future.
  virtual bool is_sleep() const { return false; }
};

std::unique_ptr<Wait> choose_wait(Chance& chance);

}  // namespace zoo
