// Stopped jobs: whether a parent has already waited for the stop.
//
// Saved: what the parent's waitid() would return, without consuming it. Restored: the job is
// stopped by SIGSTOP before any other process resumes. If the parent had already waited for the
// stop, the restore makes it wait again; the signal about the stop is consumed too.
#pragma once

#include <vector>

#include "base/result.h"
#include "engine/native/image.h"
#include "engine/native/program/program_writer.h"
#include "engine/native/ptrace/tracee.h"

namespace sf::waypoint::native {

class StoppedJobQuestions {
 public:
  // `children`: stopped ones, by pid in the branch.
  StoppedJobQuestions(ProgramWriter& program, std::vector<pid_t> children);
  // The children that the parent has waited for.
  std::vector<pid_t> noticed(Arena& arena) const;

 private:
  std::vector<pid_t> children_;
  std::vector<std::uint64_t> answers_;
};

// Makes the new parent wait for its stopped children. Requires: they are stopped. `scratch`:
// writable memory of the parent, at least 256 bytes, mapped at the same address here.
Status take_notice(Tracee& parent, std::uint64_t syscall_instruction, const ProcessImage& image,
                   const TreeImage& tree, std::uint64_t scratch);

}  // namespace sf::waypoint::native
