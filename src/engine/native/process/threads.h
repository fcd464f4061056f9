// Threads: registers, and what the kernel keeps beside them for the thread library.
//
// Saved: general and extended registers, robust list, rseq area, the address that is cleared when a
// thread ends, credentials and standing, which are each thread's own. Brought back: threads are
// cloned with their tids; each sets its own things; registers come last, by the tracer. A system
// call that was under way is made again by the kernel (what it does for any stopped thread); where
// that needs what only the old process had (ERESTART_RESTARTBLOCK), the call is made anew.
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

// What can be seen from outside. Requires: the thread is stopped and undisturbed.
Result<ThreadImage> describe_thread(const ThreadFacts& facts, const Tracee& tracee);

void bring_back_thread(ProgramWriter& program, const ProcessImage& process,
                       const ThreadImage& thread);

// Pure. The registers with which a thread of a new process makes its system call again.
// `earlier`: the number of the call, should the thread have been restarting it already; 0: unknown.
user_regs_struct registers_for_restore(user_regs_struct registers, long earlier);

}  // namespace sf::waypoint::native
