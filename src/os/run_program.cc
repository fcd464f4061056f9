#include "os/run_program.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "os/error.h"
#include "os/pipe.h"

namespace sf::os {
namespace {

constexpr std::size_t kMaxKept = 64U << 20U;  // further output is read and discarded

struct Stream {
  std::string& into;
  Pipe pipe;

  void read() {
    char buffer[16384];
    ssize_t n = ::read(pipe.read_end.get(), buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) return;
    if (n <= 0) return pipe.read_end.reset();
    if (into.size() < kMaxKept) into.append(buffer, static_cast<std::size_t>(n));
  }
};

std::vector<std::string> environment(const std::vector<std::string>& added) {
  std::vector<std::string> env = {"LC_ALL=C"};
  bool has_path = false;
  for (const std::string& entry : added) {
    has_path = has_path || entry.starts_with("PATH=");
    env.push_back(entry);
  }
  if (!has_path) env.emplace_back("PATH=/usr/sbin:/usr/bin:/sbin:/bin");
  return env;
}

}  // namespace

Result<ProgramOutput> run_program(const std::vector<std::string>& argv, Deadline deadline,
                                  const RunOptions& options) {
  ProgramOutput output;
  Stream out{output.text, {}};
  Stream err{output.errors, {}};
  SF_TRY_ASSIGN(out.pipe, make_pipe());
  if (options.errors_apart) {
    SF_TRY_ASSIGN(err.pipe, make_pipe());
  }
  SpawnOptions spawning;
  spawning.argv = argv;
  spawning.env = environment(options.env);
  spawning.pass_fds = {
      {out.pipe.write_end.get(), 1},
      {options.errors_apart ? err.pipe.write_end.get() : out.pipe.write_end.get(), 2}};
  spawning.death_signal = options.outlives_caller ? 0 : SIGKILL;
  spawning.new_session = options.outlives_caller;
  SF_TRY_ASSIGN(Child child, spawn(spawning));
  out.pipe.write_end.reset();
  err.pipe.write_end.reset();
  while (out.pipe.read_end.valid() || err.pipe.read_end.valid()) {
    pollfd entries[] = {{out.pipe.read_end.get(), POLLIN, 0}, {err.pipe.read_end.get(), POLLIN, 0}};
    int ready = ::poll(entries, 2, deadline.poll_timeout_ms());
    if (ready < 0 && errno != EINTR) return last_error("waiting for " + argv[0]);
    if (ready == 0) return fail(ErrorCode::kTimedOut, argv[0] + " did not end in time");
    if (entries[0].revents != 0) out.read();
    if (entries[1].revents != 0) err.read();
  }
  SF_TRY_ASSIGN(output.status, child.wait(deadline));
  return output;
}

}  // namespace sf::os
