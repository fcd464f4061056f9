// Tracee: one stopped thread. Its destructor gives back what was changed and lets it go on: no
// error path leaves a stranger's registers in it. ptrace belongs to a thread: all calls come from
// the one that stopped it. PTRACE_O_EXITKILL is not set: a live tree is not the engine's to kill.
#pragma once

#include <sys/user.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "engine/native/image.h"

namespace sf::waypoint::native {

class Tracee {
 public:
  // Asks the thread to stop; wait_stopped() says when it has.
  static Result<Tracee> seize(pid_t tid);
  Tracee(Tracee&& other) noexcept;
  Tracee& operator=(Tracee&&) = delete;
  ~Tracee();

  pid_t tid() const { return tid_; }
  // Reads registers and signal mask when it has stopped. kTimedOut: it does not get there.
  Status wait_stopped(Deadline deadline);

  bool is_stopped() const { return stopped_; }
  // Whether it was stopped already, by a signal.
  bool in_group_stop() const { return stop_signal_ != 0; }
  const user_regs_struct& registers() const { return registers_; }
  std::uint64_t blocked() const { return blocked_; }
  Result<std::string> extended_state() const;
  enum class Queue { kThread, kProcess };
  Result<std::vector<SignalInfo>> pending(Queue queue) const;
  Result<RseqArea> rseq() const;

  // It dies when the calling thread does, until it is let go of.
  Status die_with_tracer();
  // Its process has other threads. Killed, it is not seen to end before they are.
  void leads_others() { leads_others_ = true; }

  // One system call, made by the thread at `syscall_instruction`.
  Result<long> call(std::uint64_t syscall_instruction, long number,
                    const std::vector<std::uint64_t>& args);
  // Runs code until it traps.
  Status run(std::uint64_t entry, std::uint64_t argument, std::uint64_t stack);

  // What the thread goes on with. Requires: it is stopped.
  Status become(const user_regs_struct& registers, const std::string& extended,
                std::uint64_t blocked);
  // Likewise, as to its general registers alone.
  void resume_with(const user_regs_struct& registers) {
    registers_ = registers;
    disturbed_ = true;
  }
  Status resume();
  // Its registers and mask are its own again; it stays stopped.
  Status give_back();
  // Leaves that to the end of the calling thread.
  void abandon() { tid_ = 0; }

 private:
  explicit Tracee(pid_t tid) : tid_(tid) {}
  Status go_until_trap(int request);
  Status block_signals();

  pid_t tid_ = 0;
  bool stopped_ = false;
  int stop_signal_ = 0;
  bool leads_others_ = false;
  bool disturbed_ = false;  // registers are not its own
  user_regs_struct registers_{};
  std::uint64_t blocked_ = 0;
};

// Where a system call instruction lies behind the beginning of the vDSO, which is the same in every
// process of this boot.
std::optional<std::uint64_t> syscall_in_vdso();

}  // namespace sf::waypoint::native
