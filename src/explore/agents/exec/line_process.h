// LineProcess: one run of a program that reads lines and prints lines. Never blocks, but in end().
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "os/fd.h"
#include "os/process.h"

namespace sf::explore {

class LineProcess {
 public:
  // `argv[0]` is looked for in PATH. It has our environment and directory, and a session of its
  // own: Ctrl-C is for us, and we let it finish. What it prints on standard error is added to the
  // file `log`; an empty name leaves it where ours goes.
  //
  // Requires: the calling thread lives longer. The process ends with it.
  static Result<LineProcess> start(const std::vector<std::string>& argv, const std::string& log);
  LineProcess(LineProcess&&) = default;
  LineProcess& operator=(LineProcess&&) = delete;
  ~LineProcess() { (void)end(Deadline::after(seconds(0))); }

  int input() const { return input_.get(); }
  int output() const { return output_.get(); }
  int pidfd() const { return child_.pidfd(); }

  // Takes away what could be written. Fails when nobody reads it any more. SIGPIPE must be blocked
  // or ignored.
  Status write_some(std::string& bytes) const;

  struct Lines {
    std::vector<std::string> whole;  // without their ends
    bool is_quiet = false;           // there was nothing to read
    bool is_last = false;            // and there never will be
  };
  Result<Lines> read_lines();
  // What it has printed of a line that has no end yet.
  const std::string& unfinished() const { return begun_; }

  // Closes its input, and kills what is left of it at the deadline.
  Result<os::ExitStatus> end(Deadline deadline);

 private:
  LineProcess(os::Child child, os::UniqueFd input, os::UniqueFd output)
      : child_(std::move(child)), input_(std::move(input)), output_(std::move(output)) {}

  os::Child child_;
  os::UniqueFd input_;
  os::UniqueFd output_;
  std::string begun_;  // a line that has no end yet
};

}  // namespace sf::explore
