// Interrupts: calls a function on Ctrl-C instead of ending the process.
#pragma once

#include <csignal>
#include <functional>
#include <thread>

#include "base/result.h"
#include "os/fd.h"

namespace sf::cli {

// During its lifetime each SIGINT calls `on_interrupt` with its number (1, 2, ...) from a separate
// thread. If SIGINT was ignored at the start (nohup, a script's background job), it stays ignored.
// Requires: constructed before other threads, which inherit the signal mask.
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
  os::UniqueFd end_;  // readable: the thread must end
  std::thread thread_;
};

}  // namespace sf::cli
