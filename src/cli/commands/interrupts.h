// Interrupts: Ctrl-C as an event instead of the end.
#pragma once

#include <csignal>
#include <functional>
#include <thread>

#include "base/result.h"
#include "os/fd.h"

namespace sf::cli {

// While it lives, SIGINT ends nothing: each one calls `on_interrupt` with its number (1, 2, ...)
// from a thread of its own. Whoever started this program with SIGINT ignored (nohup, a job in the
// background of a script) does not get it back.
// Requires: made before other threads, which inherit the signal mask.
class Interrupts {
 public:
  explicit Interrupts(std::function<void(int)> on_interrupt);
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
  ~Interrupts();

 private:
  void watch() const;

  std::function<void(int)> on_interrupt_;
  sigset_t before_{};
  os::UniqueFd signals_;
  os::UniqueFd end_;  // readable: the thread shall end
  std::thread thread_;
};

}  // namespace sf::cli
