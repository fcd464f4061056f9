#include "engine/native/process/limits.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cstdio>

namespace sf::waypoint::native {
namespace {

constexpr std::uint64_t kAskPersonality = 0xffffffffU;
constexpr int kOneProcess = 1;  // IOPRIO_WHO_PROCESS

void write_own(ProgramWriter& program, const char* path, const std::string& text) {
  program.about(std::string("writing ") + path);
  Argument fd = program.keep(SYS_openat, {AT_FDCWD, program.arena().put_text(path), O_WRONLY});
  program.call(SYS_write, {fd, program.arena().put_text(text), text.size()});
  program.call(SYS_close, {fd});
}

}  // namespace

ProcessQuestions::ProcessQuestions(ProgramWriter& program) : program_(program) {
  Arena& arena = program.arena();
  limits_ = arena.reserve(sizeof(rlimit) * RLIM_NLIMITS);
  for (unsigned i = 0; i < RLIM_NLIMITS; ++i)
    program.call(SYS_prlimit64, {0, i, 0, limits_ + sizeof(rlimit) * i});
  timers_ = arena.reserve(sizeof(itimerval) * 3);
  for (unsigned i = 0; i < 3; ++i)
    program.call(SYS_getitimer, {i, timers_ + sizeof(itimerval) * i});
  subreaper_ = arena.reserve(sizeof(int));
  program.call(SYS_prctl, {PR_GET_CHILD_SUBREAPER, subreaper_});
  dumpable_ = program.next_step();
  program.call(SYS_prctl, {PR_GET_DUMPABLE});
  personality_ = program.next_step();
  program.call(SYS_personality, {kAskPersonality});
  huge_pages_ = program.next_step();
  program.call(SYS_prctl, {PR_GET_THP_DISABLE, 0, 0, 0, 0});
  break_ = program.next_step();
  program.call(SYS_brk, {0});
}

void ProcessQuestions::take(ProcessImage& process) {
  Arena& arena = program_.arena();
  std::memcpy(process.limits.data(), arena.local(limits_), sizeof process.limits);
  std::memcpy(process.timers.data(), arena.local(timers_), sizeof process.timers);
  process.subreaper = *arena.at<std::uint32_t>(subreaper_);
  process.dumpable = static_cast<std::uint32_t>(program_.result(dumpable_));
  process.personality = static_cast<std::uint32_t>(program_.result(personality_));
  process.no_huge_pages = static_cast<std::uint32_t>(program_.result(huge_pages_));
  process.layout.bounds[5] = static_cast<std::uint64_t>(program_.result(break_));
}

void bring_back_limits(ProgramWriter& program, const ProcessImage& process) {
  for (unsigned i = 0; i < RLIM_NLIMITS; ++i) {
    program.about("resource limit " + std::to_string(i));
    program.call(SYS_prlimit64, {0, i, program.arena().put_value(process.limits[i]), 0});
  }
}

void bring_back_timers(ProgramWriter& program, const ProcessImage& process) {
  program.about("interval timers");
  for (unsigned i = 0; i < 3; ++i) {
    const itimerval& timer = process.timers[i];
    // A stopped timer may have an interval.
    const timeval& left = timer.it_value;
    const timeval& every = timer.it_interval;
    if ((left.tv_sec | left.tv_usec | every.tv_sec | every.tv_usec) == 0) continue;
    program.call(SYS_setitimer, {i, program.arena().put_value(timer), 0});
  }
}

void bring_back_standing(ProgramWriter& program, const ProcessImage& process) {
  write_own(program, "/proc/self/oom_score_adj", std::to_string(process.oom_score_adj));
  char filter[16];
  std::snprintf(filter, sizeof filter, "0x%x", process.core_filter);
  write_own(program, "/proc/self/coredump_filter", filter);
  program.call(SYS_umask, {process.umask});
}

void bring_back_standing(ProgramWriter& program, const ThreadImage& thread) {
  program.about("name of " + thread.name);
  program.call(SYS_prctl, {PR_SET_NAME, program.arena().put_text(thread.name)});
  program.about("niceness");
  program.call(SYS_setpriority, {PRIO_PROCESS, 0, thread.nice});
  program.about("slice of the scheduler");
  Schedule schedule;
  schedule.nice = thread.nice;
  schedule.slice = thread.slice;
  schedule.flags = thread.resets_on_fork != 0 ? Schedule::kResetOnFork : 0;
  if (thread.slice != 0 || thread.resets_on_fork != 0)
    program.call(SYS_sched_setattr, {0, program.arena().put_value(schedule), 0});
  program.about("I/O priority");
  if (thread.io_priority != 0) program.call(SYS_ioprio_set, {kOneProcess, 0, thread.io_priority});
  program.about("CPU affinity");
  if (!thread.affinity.empty())
    program.call(SYS_sched_setaffinity,
                 {0, thread.affinity.size(),
                  program.arena().put(thread.affinity.data(), thread.affinity.size())});
  program.about("timer slack");
  program.call(SYS_prctl, {PR_SET_TIMERSLACK, thread.timer_slack});
  program.about("memory failure policy");
  if (thread.memory_failure != PR_MCE_KILL_DEFAULT)
    program.call(SYS_prctl, {PR_MCE_KILL, PR_MCE_KILL_SET, thread.memory_failure, 0, 0});
  program.about("use of the time stamp counter");
  if (thread.time_stamp == PR_TSC_SIGSEGV) program.call(SYS_prctl, {PR_SET_TSC, PR_TSC_SIGSEGV});
}

void bring_back_traits(ProgramWriter& program, const ProcessImage& process) {
  program.about("traits of the process");
  if (process.dumpable < 2) program.call(SYS_prctl, {PR_SET_DUMPABLE, process.dumpable});
  program.call(SYS_prctl, {PR_SET_CHILD_SUBREAPER, process.subreaper});
  if (process.no_huge_pages != 0) program.call(SYS_prctl, {PR_SET_THP_DISABLE, 1, 0, 0, 0});
  // After the memory is mapped: one personality makes all later mappings executable.
  program.about("personality");
  program.call(SYS_personality, {process.personality});
}

}  // namespace sf::waypoint::native
