// Stopped jobs: whether a parent has been told of the stop.
//
// Saved: what the parent's waitid() would say, without taking it. Brought back: the job is stopped
// by SIGSTOP before anybody else goes on; what its parent had noticed already is taken away again,
// and the signal about it, too.
#pragma once

#include <vector>

#include "base/result.h"
#include "engine/native/image.h"
#include "engine/native/program/program_writer.h"
#include "engine/native/ptrace/tracee.h"

namespace sf::waypoint::native {

class StoppedJobQuestions {
 public:
  // `children`: stopped ones, as the branch numbers them.
  StoppedJobQuestions(ProgramWriter& program, std::vector<pid_t> children);
  // Those that the parent has noticed.
  std::vector<pid_t> noticed(Arena& arena) const;

 private:
  std::vector<pid_t> children_;
  std::vector<std::uint64_t> answers_;
};

// Has the new parent take notice of its stopped children. Requires: they stand. `scratch`: memory
// of the parent that may be written, at least 256 bytes, seen at the same address here.
Status take_notice(Tracee& parent, std::uint64_t syscall_instruction, const ProcessImage& image,
                   const TreeImage& tree, std::uint64_t scratch);

}  // namespace sf::waypoint::native
