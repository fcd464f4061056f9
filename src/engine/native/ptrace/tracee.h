// Tracee: one stopped thread. Its destructor restores what the engine changed and resumes the
// thread, so that no error path leaves foreign registers in it. ptrace is per thread: all calls
// come from the thread that stopped it. PTRACE_O_EXITKILL is not set: the engine must not kill a
// live tree.
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
  // Asks the thread to stop. wait_stopped() waits until it has.
  static Result<Tracee> seize(pid_t tid);
  Tracee(Tracee&& other) noexcept;
  Tracee& operator=(Tracee&&) = delete;
  ~Tracee();

  pid_t tid() const { return tid_; }
  // Waits until it has stopped, and reads registers and signal mask. kTimedOut: it has not stopped.
  Status wait_stopped(Deadline deadline);

  bool is_stopped() const { return stopped_; }
  // True if a signal had stopped it already.
  bool in_group_stop() const { return stop_signal_ != 0; }
  const user_regs_struct& registers() const { return registers_; }
  std::uint64_t blocked() const { return blocked_; }
  Result<std::string> extended_state() const;
  enum class Queue { kThread, kProcess };
  Result<std::vector<SignalInfo>> pending(Queue queue) const;
  Result<RseqArea> rseq() const;

  // The thread dies if the calling thread does, until it is released.
  Status die_with_tracer();
  // Its process has other threads: if it is killed, its end is not reported before theirs.
  void leads_others() { leads_others_ = true; }

  // Makes one system call in the thread, with the instruction at `syscall_instruction`.
  Result<long> call(std::uint64_t syscall_instruction, long number,
                    const std::vector<std::uint64_t>& args);
  // Runs code until it traps.
  Status run(std::uint64_t entry, std::uint64_t argument, std::uint64_t stack);

  // Sets the state with which the thread resumes. Requires: it is stopped.
  Status become(const user_regs_struct& registers, const std::string& extended,
                std::uint64_t blocked);
  // As above, for its general registers only.
  void resume_with(const user_regs_struct& registers) {
    registers_ = registers;
    disturbed_ = true;
  }
  Status resume();
  // Restores its own registers and mask; it stays stopped.
  Status give_back();
  // Does not detach: the end of the calling thread does.
  void abandon() { tid_ = 0; }

 private:
  explicit Tracee(pid_t tid) : tid_(tid) {}
  Status go_until_trap(int request);
  Status block_signals();

  pid_t tid_ = 0;
  bool stopped_ = false;
  int stop_signal_ = 0;
  bool leads_others_ = false;
  bool disturbed_ = false;  // its registers or mask were changed
  user_regs_struct registers_{};
  std::uint64_t blocked_ = 0;
};

// Offset of a syscall instruction in the vDSO, which is the same in every process of this boot.
std::optional<std::uint64_t> syscall_in_vdso();

}  // namespace sf::waypoint::native
