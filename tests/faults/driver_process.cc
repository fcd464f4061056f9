#include "driver_process.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

#include "os/error.h"
#include "os/file.h"
#include "os/socket.h"

namespace sf::faults {

Result<DriverProcess> DriverProcess::start(const std::vector<std::string>& arguments,
                                           const DriverSetting& setting) {
  SF_TRY_ASSIGN(std::string self, os::read_link("/proc/self/exe"));
  int input[2];
  int output[2];
  if (::pipe2(input, O_CLOEXEC) != 0) return os::last_error("creating a pipe");
  os::UniqueFd theirs_in(input[0]);
  DriverProcess driver;
  driver.input_.reset(input[1]);
  if (::pipe2(output, O_CLOEXEC) != 0) return os::last_error("creating a pipe");
  driver.output_.reset(output[0]);
  os::UniqueFd theirs_out(output[1]);

  os::SpawnOptions options;
  options.argv = setting.wrapper;
  options.argv.push_back(self.substr(0, self.rfind('/')) + "/faults-driver");
  options.argv.insert(options.argv.end(), arguments.begin(), arguments.end());
  for (const char* name : {"PATH", "STATEFORK_CRIU", "STATEFORK_CRIU_PREFIX"}) {
    if (const char* value = std::getenv(name))
      options.env.push_back(std::string(name) + "=" + value);
  }
  options.cgroup_procs = setting.cgroup_procs;
  options.pass_fds = {{theirs_in.get(), 0}, {theirs_out.get(), 1}, {STDERR_FILENO, 2}};
  SF_TRY_ASSIGN(driver.child_, os::spawn(options));
  return driver;
}

Result<std::optional<std::string>> DriverProcess::read_line(Deadline deadline) {
  for (;;) {
    if (std::size_t end = unread_.find('\n'); end != std::string::npos) {
      std::string line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return std::optional(line);
    }
    SF_TRY_ASSIGN(bool ready, os::wait_readable(output_.get(), deadline));
    if (!ready) return fail(ErrorCode::kTimedOut, "the driver prints nothing");
    char buffer[4096];
    ssize_t n = ::read(output_.get(), buffer, sizeof buffer);
    if (n < 0) return os::last_error("reading from the driver");
    if (n == 0) return std::optional<std::string>();
    unread_.append(buffer, static_cast<std::size_t>(n));
  }
}

Result<std::vector<std::string>> DriverProcess::read_all(Deadline deadline) {
  std::vector<std::string> lines;
  for (;;) {
    SF_TRY_ASSIGN(std::optional<std::string> line, read_line(deadline));
    if (!line) return lines;
    lines.push_back(*line);
  }
}

Result<DriverRun> run_driver(const std::vector<std::string>& arguments, Deadline deadline,
                             const DriverSetting& setting) {
  SF_TRY_ASSIGN(DriverProcess driver, DriverProcess::start(arguments, setting));
  DriverRun run;
  SF_TRY_ASSIGN(run.said, driver.read_all(deadline));
  SF_TRY_ASSIGN(run.status, driver.wait(deadline));
  return run;
}

}  // namespace sf::faults
