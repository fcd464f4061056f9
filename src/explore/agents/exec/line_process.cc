#include "explore/agents/exec/line_process.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "os/error.h"
#include "os/file.h"
#include "os/host_info.h"
#include "os/pipe.h"
#include "os/socket.h"

namespace sf::explore {
namespace {

constexpr std::size_t kMaxLine = 16U << 20U;
constexpr std::size_t kMaxRead = 1U << 20U;  // per read

Result<std::string> program_path(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const char* path = std::getenv("PATH");
  if (auto found = os::find_program(name, path == nullptr ? "" : path)) return *found;
  return fail(ErrorCode::kNotFound, "program not found: " + name, "give its path");
}

std::vector<std::string> own_environment() {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable)
    variables.emplace_back(*variable);
  return variables;
}

}  // namespace

Result<LineProcess> LineProcess::start(const std::vector<std::string>& argv,
                                       const std::string& log) {
  if (argv.empty()) return invalid("the command is empty");
  os::SpawnOptions options;
  options.argv = argv;
  SF_TRY_ASSIGN(options.argv[0], program_path(argv[0]));
  options.env = own_environment();
  options.cwd = ".";
  options.new_session = true;
  options.death_signal = SIGKILL;
  SF_TRY_ASSIGN(os::Pipe in, os::make_pipe());
  SF_TRY_ASSIGN(os::Pipe out, os::make_pipe());
  os::UniqueFd errors;
  if (!log.empty()) {
    SF_TRY_ASSIGN(errors, os::open_file(log, O_WRONLY | O_CREAT | O_APPEND));
  }
  options.pass_fds = {{in.read_end.get(), STDIN_FILENO},
                      {out.write_end.get(), STDOUT_FILENO},
                      {errors.valid() ? errors.get() : STDERR_FILENO, STDERR_FILENO}};
  SF_TRY(os::set_nonblocking(in.write_end.get()));
  SF_TRY(os::set_nonblocking(out.read_end.get()));
  SF_TRY_ASSIGN(os::Child child, os::spawn(options));
  return LineProcess(std::move(child), std::move(in.write_end), std::move(out.read_end));
}

Status LineProcess::write_some(std::string& bytes) const {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = ::write(input_.get(), bytes.data() + done, bytes.size() - done);
    if (n >= 0) {
      done += static_cast<std::size_t>(n);
      continue;
    }
    if (errno == EINTR) continue;
    if (errno == EAGAIN) break;
    return os::last_error("writing to the program");
  }
  bytes.erase(0, done);
  return Ok{};
}

Result<LineProcess::Lines> LineProcess::read_lines() {
  Lines lines;
  const std::size_t before = begun_.size();
  SF_TRY_ASSIGN(const bool goes_on, os::read_available(output_.get(), begun_, before + kMaxRead));
  lines.is_quiet = begun_.size() == before;
  lines.is_last = !goes_on;
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = begun_.find('\n', begin)) != std::string::npos; begin = end + 1)
    lines.whole.push_back(begun_.substr(begin, end - begin));
  begun_.erase(0, begin);
  if (begun_.size() > kMaxLine) return fail(ErrorCode::kCorrupt, "its line is too long");
  return lines;
}

Result<os::ExitStatus> LineProcess::end(Deadline deadline) {
  input_.reset();
  if (!child_.running()) return os::ExitStatus{};
  (void)os::wait_readable(child_.pidfd(), deadline);
  // The child is not reaped yet, so the kernel cannot have reused its process group id.
  (void)os::signal_group(child_.pid(), SIGKILL);
  return child_.wait(Deadline::never());
}

}  // namespace sf::explore
