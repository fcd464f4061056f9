#include "engine/native/process/stopped_jobs.h"

#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <cstring>

namespace sf::waypoint::native {

StoppedJobQuestions::StoppedJobQuestions(ProgramWriter& program, std::vector<pid_t> children)
    : children_(std::move(children)) {
  for (pid_t child : children_) {
    answers_.push_back(program.arena().reserve(sizeof(siginfo_t)));
    program.call(SYS_waitid, {P_PID, child, answers_.back(), WSTOPPED | WNOHANG | WNOWAIT, 0});
  }
}

std::vector<pid_t> StoppedJobQuestions::noticed(Arena& arena) const {
  std::vector<pid_t> found;
  for (std::size_t i = 0; i < children_.size(); ++i) {
    siginfo_t info{};
    std::memcpy(&info, arena.local(answers_[i]), sizeof info);
    if (info.si_pid == 0) found.push_back(children_[i]);
  }
  return found;
}

Status take_notice(Tracee& parent, std::uint64_t syscall_instruction, const ProcessImage& image,
                   const TreeImage& tree, std::uint64_t scratch) {
  bool any = false;
  for (const ProcessImage& child : tree.processes) {
    if (child.parent != image.pid || child.life != Life::kStopped) continue;
    any = true;
    if (child.stop_noticed == 0) continue;
    SF_TRY(parent.call(syscall_instruction, SYS_waitid,
                       {P_PID, static_cast<std::uint64_t>(child.pid), 0, WSTOPPED | WNOHANG, 0}));
  }
  auto is_pending = [](const SignalInfo& info) {
    int number = 0;
    std::memcpy(&number, info.data(), sizeof number);
    return number == SIGCHLD;
  };
  if (!any || std::ranges::any_of(image.pending, is_pending)) return Ok{};
  // At most one SIGCHLD is pending; this call consumes it.
  const std::uint64_t set = 1ULL << (SIGCHLD - 1);
  const timespec at_once{};
  std::memcpy(reinterpret_cast<void*>(scratch), &set, sizeof set);
  std::memcpy(reinterpret_cast<void*>(scratch + 64), &at_once, sizeof at_once);
  SF_TRY(parent.call(syscall_instruction, SYS_rt_sigtimedwait, {scratch, 0, scratch + 64, 8}));
  return Ok{};
}

}  // namespace sf::waypoint::native
