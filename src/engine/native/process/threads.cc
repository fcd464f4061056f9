#include "engine/native/process/threads.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "engine/native/process/credentials.h"
#include "engine/native/process/limits.h"
#include "engine/native/process/signals.h"
#include "os/error.h"

namespace sf::waypoint::native {
namespace {

constexpr int kOneProcess = 1;        // IOPRIO_WHO_PROCESS
constexpr long kRestartBlock = -516;  // ERESTART_RESTARTBLOCK, never visible to user space
constexpr std::size_t kRobustHead = 24;

Status take_schedule(pid_t tid, ThreadImage& image) {
  Schedule thread;
  Schedule usual;
  if (::syscall(SYS_sched_getattr, tid, &thread, sizeof thread, 0) != 0 ||
      ::syscall(SYS_sched_getattr, 0, &usual, sizeof usual, 0) != 0)
    return os::last_error("reading the schedule of thread " + std::to_string(tid));
  image.slice = thread.slice == usual.slice ? 0 : thread.slice;
  image.resets_on_fork = (thread.flags & Schedule::kResetOnFork) != 0 ? 1 : 0;
  return Ok{};
}

}  // namespace

ThreadQuestions::ThreadQuestions(ProgramWriter& program) : program_(program) {
  clear_tid_ = program.arena().reserve(sizeof(std::uint64_t));
  program.call(SYS_prctl, {PR_GET_TID_ADDRESS, clear_tid_});
  alternate_stack_ = ask_alternate_stack(program);
  death_signal_ = program.arena().reserve(sizeof(int));
  program.call(SYS_prctl, {PR_GET_PDEATHSIG, death_signal_});
  timer_slack_ = program.next_step();
  program.call(SYS_prctl, {PR_GET_TIMERSLACK});
  secure_bits_ = program.next_step();
  program.call(SYS_prctl, {PR_GET_SECUREBITS});
  io_priority_ = program.next_step();
  program.call(SYS_ioprio_get, {kOneProcess, 0});
  time_stamp_ = program.arena().reserve(sizeof(int));
  program.call(SYS_prctl, {PR_GET_TSC, time_stamp_});
  memory_failure_ = program.next_step();
  program.call(SYS_prctl, {PR_MCE_KILL_GET, 0, 0, 0, 0});
}

void ThreadQuestions::take(ThreadImage& thread) {
  Arena& arena = program_.arena();
  thread.clear_tid = *arena.at<std::uint64_t>(clear_tid_);
  thread.alternate_stack = *arena.at<AlternateStack>(alternate_stack_);
  thread.death_signal = *arena.at<std::int32_t>(death_signal_);
  thread.timer_slack = static_cast<std::uint64_t>(program_.result(timer_slack_));
  thread.credentials.secure_bits = static_cast<std::uint32_t>(program_.result(secure_bits_));
  thread.io_priority = static_cast<std::int32_t>(program_.result(io_priority_));
  thread.time_stamp = *arena.at<std::uint32_t>(time_stamp_);
  thread.memory_failure = static_cast<std::uint32_t>(program_.result(memory_failure_));
}

Result<ThreadImage> describe_thread(const ThreadFacts& facts, const Tracee& tracee) {
  ThreadImage thread;
  thread.tid = facts.status.pids.back();
  thread.name = facts.stat.name;
  thread.nice = facts.stat.nice;
  thread.credentials = facts.status.credentials;
  thread.registers = tracee.registers();
  thread.blocked = tracee.blocked();
  SF_TRY_ASSIGN(thread.extended, tracee.extended_state());
  SF_TRY_ASSIGN(thread.pending, tracee.pending(Tracee::Queue::kThread));
  SF_TRY_ASSIGN(thread.rseq, tracee.rseq());
  if (::syscall(SYS_get_robust_list, facts.tid, &thread.robust_list, &thread.robust_size) != 0)
    return os::last_error("reading the robust list of thread " + std::to_string(facts.tid));
  cpu_set_t cpus;
  long size = ::syscall(SYS_sched_getaffinity, facts.tid, sizeof cpus, &cpus);
  if (size < 0) return os::last_error("reading CPUs of thread " + std::to_string(facts.tid));
  SF_TRY(take_schedule(facts.tid, thread));
  thread.affinity.assign(reinterpret_cast<const char*>(&cpus), static_cast<std::size_t>(size));
  return thread;
}

void bring_back_thread(ProgramWriter& program, const ProcessImage& process,
                       const ThreadImage& thread) {
  bring_back_standing(program, thread);
  bring_back_alternate_stack(program, thread);
  program.about("robust list");
  if (thread.robust_list != 0) program.call(SYS_set_robust_list, {thread.robust_list, kRobustHead});
  program.call(SYS_set_tid_address, {thread.clear_tid});
  bring_back_pending(program, process, thread);
  bring_back_credentials(program, thread.credentials);
  program.about("signal at the parent's death");
  program.call(SYS_prctl, {PR_SET_PDEATHSIG, thread.death_signal});
  program.about("rseq area");
  if (thread.rseq.address != 0)
    program.call(SYS_rseq, {thread.rseq.address, thread.rseq.size, 0, thread.rseq.signature});
}

user_regs_struct registers_for_restore(user_regs_struct registers, long earlier) {
  auto number = static_cast<long>(registers.orig_rax);
  if (number < 0 || static_cast<long>(registers.rax) != kRestartBlock) return registers;
  if (number == SYS_restart_syscall) number = earlier;
  // A relative sleep stored the time left where the caller asked for it. If that overwrote the time
  // itself, the call can be repeated unchanged; otherwise it returns EINTR.
  bool relative =
      (number == SYS_nanosleep && registers.rsi != 0 && registers.rsi != registers.rdi) ||
      (number == SYS_clock_nanosleep && registers.rsi == 0 && registers.r10 != 0 &&
       registers.r10 != registers.rdx);
  bool known = number == SYS_nanosleep || number == SYS_clock_nanosleep || number == SYS_poll ||
               number == SYS_futex;
  registers.orig_rax = ~0ULL;
  if (!known || relative) {
    registers.rax = static_cast<unsigned long long>(-EINTR);
    return registers;
  }
  registers.rax = static_cast<unsigned long long>(number);
  registers.rip -= 2;
  return registers;
}

}  // namespace sf::waypoint::native
