// Runs a program until it ends and returns its output.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "os/process.h"

namespace sf::os {

struct ProgramOutput {
  ExitStatus status;
  std::string text;    // output and errors in order of arrival; output alone if errors_apart
  std::string errors;  // standard error, if errors_apart
  bool succeeded() const { return !status.signaled && status.code == 0; }
};

struct RunOptions {
  std::vector<std::string> env;  // added to a small fixed one; the caller's is not inherited
  bool errors_apart = false;
  bool outlives_caller = false;  // keep it running if the caller is killed
};

// Kills the program at the deadline, and if the calling thread ends.
Result<ProgramOutput> run_program(const std::vector<std::string>& argv, Deadline deadline,
                                  const RunOptions& options = {});

}  // namespace sf::os
