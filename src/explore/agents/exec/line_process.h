// LineProcess: one run of a program that reads and prints lines. Only end() blocks.
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
  // `argv[0]` is searched in PATH. The program inherits the environment and the working directory.
  // It gets a session of its own, so Ctrl-C reaches only the caller. Its standard error is appended
  // to the file `log`; if `log` is empty, it is inherited.
  //
  // Requires: the calling thread outlives the process, which the kernel kills when the thread ends.
  static Result<LineProcess> start(const std::vector<std::string>& argv, const std::string& log);
  LineProcess(LineProcess&&) = default;
  LineProcess& operator=(LineProcess&&) = delete;
  ~LineProcess() { (void)end(Deadline::after(seconds(0))); }

  int input() const { return input_.get(); }
  int output() const { return output_.get(); }
  int pidfd() const { return child_.pidfd(); }

  // Removes the written part from `bytes`. Fails if the program has closed its input. Requires:
  // SIGPIPE is blocked or ignored.
  Status write_some(std::string& bytes) const;

  struct Lines {
    std::vector<std::string> whole;  // without the line ends
    bool is_quiet = false;           // nothing was available
    bool is_last = false;            // end of output
  };
  Result<Lines> read_lines();
  // The start of a line that is still incomplete.
  const std::string& unfinished() const { return begun_; }

  // Closes the program's input, waits until the deadline, then kills its process group.
  Result<os::ExitStatus> end(Deadline deadline);

 private:
  LineProcess(os::Child child, os::UniqueFd input, os::UniqueFd output)
      : child_(std::move(child)), input_(std::move(input)), output_(std::move(output)) {}

  os::Child child_;
  os::UniqueFd input_;
  os::UniqueFd output_;
  std::string begun_;  // start of an incomplete line
};

}  // namespace sf::explore
