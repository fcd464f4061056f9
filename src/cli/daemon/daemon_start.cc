#include "cli/daemon/daemon_start.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/clock.h"
#include "cli/daemon/program_search.h"
#include "os/error.h"
#include "os/file.h"
#include "os/file_lock.h"
#include "os/pipe.h"
#include "os/process.h"
#include "os/socket.h"
#include "wire/tool_variables.h"

namespace sf::cli {
namespace {

constexpr seconds kTimeout{60};  // for a start with many sessions
constexpr std::size_t kMaxReport = 64U << 10U;
constexpr int kReadyFd = 3;

std::string absolute(const std::string& path) {
  std::error_code error;
  std::filesystem::path full = std::filesystem::absolute(path, error);
  return error ? path : full.string();
}

// The lock of the client that starts the daemon. Never removed: else two clients could hold it.
Result<os::UniqueFd> lock_start(const std::string& socket_path, Deadline deadline) {
  std::size_t slash = socket_path.rfind('/');
  if (slash != std::string::npos && slash > 0)
    SF_TRY(os::make_directories(socket_path.substr(0, slash), 0755));
  SF_TRY_ASSIGN(os::UniqueFd lock,
                os::open_file(socket_path + ".start", O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  SF_TRY_ASSIGN(bool ours, os::take_lock(lock, deadline));
  if (!ours)
    return fail(ErrorCode::kTimedOut, "another client is still starting the daemon",
                "try again; `statefork doctor` shows what this host lacks");
  return lock;
}

std::vector<std::string> daemon_environment() {
  std::vector<std::string> env;
  auto pass_on = [&](const char* key) {
    if (const char* value = std::getenv(key)) env.push_back(std::string(key) + "=" + value);
  };
  for (const char* key : {"PATH", "TMPDIR"}) pass_on(key);
  for (const char* key : wire::kToolVariables) pass_on(key);
  return env;
}

Result<std::string> read_report(int fd, Deadline deadline) {
  std::string report;
  char buffer[4096];
  while (report.size() < kMaxReport) {
    SF_TRY_ASSIGN(bool ready, os::wait_readable(fd, deadline));
    if (!ready)
      return fail(ErrorCode::kTimedOut, "the daemon takes too long to start",
                  "see daemon.log in its state directory; the host may be overloaded");
    ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return os::last_error("reading the daemon's report");
    if (n == 0) break;
    report.append(buffer, static_cast<std::size_t>(n));
  }
  return report;
}

Status start(const DaemonLocation& location, Deadline deadline) {
  SF_TRY_ASSIGN(std::string program, find_program(kDaemonProgram));
  SF_TRY_ASSIGN(os::Pipe ready, os::make_pipe());
  const std::string state = absolute(location.state_dir);
  SF_TRY(os::spawn_detached(
      {.argv = {program, "--socket", absolute(location.socket_path), "--state", state, "--log",
                state + "/daemon.log", "--ready-fd", std::to_string(kReadyFd)},
       .env = daemon_environment(),
       .pass_fds = {{ready.write_end.get(), kReadyFd}},
       .new_session = true}));
  ready.write_end.reset();
  SF_TRY_ASSIGN(std::string report, read_report(ready.read_end.get(), deadline));
  if (report == "ok") return Ok{};
  return fail(ErrorCode::kOs,
              "the daemon did not start: " + (report.empty() ? "it printed nothing" : report),
              "see " + state + "/daemon.log, and `statefork doctor`");
}

}  // namespace

Result<os::UniqueFd> connect_or_start(const DaemonLocation& location) {
  Deadline deadline = Deadline::after(kTimeout);
  Result<os::UniqueFd> first = os::connect_unix(location.socket_path, deadline);
  if (first.ok()) return first;
  if (deadline.passed())
    return fail(ErrorCode::kTimedOut, "the daemon at " + location.socket_path + " does not answer",
                "it may be overloaded; see " + location.state_dir + "/daemon.log");
  if (first.error().os_errno == EACCES || first.error().os_errno == EPERM)
    return std::move(first).error().with_hint("only root and the socket's group may use it");
  Result<os::UniqueFd> lock = lock_start(location.socket_path, deadline);
  if (!lock)
    return std::move(lock)
        .error()
        .while_doing("no daemon answers at " + location.socket_path + ", and none can be started")
        .with_hint("start one as root: `sudo statefork serve`");
  if (auto second = os::connect_unix(location.socket_path, deadline)) return second;
  SF_TRY(start(location, deadline));
  return os::connect_unix(location.socket_path, deadline);
}

client::ApiClient daemon_client(const DaemonLocation& location) {
  return {location.socket_path, [location] { return connect_or_start(location); }};
}

Status ensure_daemon(const DaemonLocation& location) {
  SF_TRY(daemon_client(location).get("/healthz"));
  return Ok{};
}

}  // namespace sf::cli
