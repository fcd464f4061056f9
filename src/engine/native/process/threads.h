// Threads: registers, and the state that the kernel keeps for the thread library.
//
// Saved: general and extended registers, robust list, rseq area, the address that the kernel clears
// when the thread ends, credentials and attributes, which are per thread. Restored: threads are
// cloned with their tids, each sets its own state, and the tracer sets the registers last. The
// kernel restarts an interrupted system call, as for any stopped thread. If that needs state of the
// old process (ERESTART_RESTARTBLOCK), the thread repeats the call instead.
#pragma once

#include "base/result.h"
#include "engine/native/facts.h"
#include "engine/native/image.h"
#include "engine/native/program/program_writer.h"
#include "engine/native/ptrace/tracee.h"

namespace sf::waypoint::native {

class ThreadQuestions {
 public:
  explicit ThreadQuestions(ProgramWriter& program);
  void take(ThreadImage& thread);

 private:
  ProgramWriter& program_;
  std::uint64_t clear_tid_ = 0;
  std::uint64_t alternate_stack_ = 0;
  std::uint64_t death_signal_ = 0;
  std::size_t timer_slack_ = 0;
  std::size_t secure_bits_ = 0;
  std::size_t io_priority_ = 0;
  std::uint64_t time_stamp_ = 0;
  std::size_t memory_failure_ = 0;
};

// The facts that can be read from outside. Requires: the thread is stopped and unmodified.
Result<ThreadImage> describe_thread(const ThreadFacts& facts, const Tracee& tracee);

void bring_back_thread(ProgramWriter& program, const ProcessImage& process,
                       const ThreadImage& thread);

// Pure. The registers with which a thread of a new process repeats its system call. `earlier`: the
// number of the original call if the thread was already restarting it; 0: unknown.
user_regs_struct registers_for_restore(user_regs_struct registers, long earlier);

}  // namespace sf::waypoint::native
