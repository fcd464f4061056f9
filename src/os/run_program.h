// Runs a program to its end and keeps what it prints.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "os/process.h"

namespace sf::os {

struct ProgramOutput {
  ExitStatus status;
  std::string text;    // standard output and error as they came; output alone when kept apart
  std::string errors;  // standard error, when kept apart
  bool succeeded() const { return !status.signaled && status.code == 0; }
};

struct RunOptions {
  std::vector<std::string> env;  // beside a small fixed one; the caller's own is not passed on
  bool errors_apart = false;
  bool outlives_caller = false;  // it comes to its own end even when the caller is killed
};

// Kills it at the deadline, and when the calling thread ends.
Result<ProgramOutput> run_program(const std::vector<std::string>& argv, Deadline deadline,
                                  const RunOptions& options = {});

}  // namespace sf::os
