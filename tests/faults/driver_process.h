// DriverProcess: runs faults-driver (driver.cc), reads its output, kills it. The destructor ends
// the process.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "os/fd.h"
#include "os/process.h"

namespace sf::faults {

// The environment of the driver; by default that of this process.
struct DriverSetting {
  std::vector<std::string> wrapper;       // a command that runs the driver
  std::vector<std::string> cgroup_procs;  // cgroup.procs files of the cgroups that it joins
};

class DriverProcess {
 public:
  // `arguments` as in driver.cc, without the program's name.
  static Result<DriverProcess> start(const std::vector<std::string>& arguments,
                                     const DriverSetting& setting = {});

  // The next line without its newline; nullopt at end of file.
  Result<std::optional<std::string>> read_line(Deadline deadline);
  // All lines up to the end of file.
  Result<std::vector<std::string>> read_all(Deadline deadline);
  void end_input() { input_.reset(); }
  Status kill() { return child_.signal(9); }
  Result<os::ExitStatus> wait(Deadline deadline) { return child_.wait(deadline); }
  // Readable if read_line() would return without waiting.
  int output() const { return output_.get(); }

 private:
  os::UniqueFd input_;
  os::UniqueFd output_;
  std::string unread_;
  os::Child child_;
};

struct DriverRun {
  std::vector<std::string> said;
  os::ExitStatus status;
};
// Runs the driver until it exits.
Result<DriverRun> run_driver(const std::vector<std::string>& arguments, Deadline deadline,
                             const DriverSetting& setting = {});

}  // namespace sf::faults
