#include "mcp/mcp_server.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/clock.h"
#include "os/error.h"
#include "os/file.h"

namespace sf::cli::mcp {
namespace {

constexpr std::size_t kMaxThreads = 32;  // fewer than the daemon's limit of waiting connections
constexpr std::size_t kReadSize = 64U << 10U;
constexpr milliseconds kProgressPause{1000};
// How long to wait for running calls after the end of the input: enough for short calls, and short
// for the client. Commands keep running in the daemon.
constexpr seconds kGrace{5};
constexpr milliseconds kLook{100};

}  // namespace

Server::Server(const DaemonLocation& location, int input, int output, std::string version)
    : input_(input),
      output_(output),
      reader_(kMaxMessage),
      runner_(location),
      protocol_(all_tools(), std::move(version)),
      calls_(kMaxThreads) {}

Result<Server::End> Server::run() {
  for (;;) {
    bool wants_progress = false;
    {
      std::lock_guard lock(mutex_);
      if (output_failed_) return End::kAbandoned;
      wants_progress = protocol_.wants_progress();
    }
    pollfd fds[] = {{input_, POLLIN, 0}, {output_, 0, 0}};
    int ready = ::poll(fds, 2, wants_progress ? static_cast<int>(kProgressPause.count()) : -1);
    if (ready < 0 && errno != EINTR) return os::last_error("waiting for a message");
    if (ready <= 0) {
      tell_progress();
      continue;
    }
    if ((fds[1].revents & (POLLERR | POLLNVAL)) != 0) return End::kAbandoned;
    if (fds[0].revents == 0) continue;
    SF_TRY_ASSIGN(bool more, read_some());
    if (!more) return wait_for_calls();
  }
}

Result<bool> Server::read_some() {
  std::string buffer(kReadSize, '\0');
  ssize_t n = ::read(input_, buffer.data(), buffer.size());
  if (n < 0 && errno == EINTR) return true;
  if (n < 0) return os::last_error("reading a message");
  buffer.resize(static_cast<std::size_t>(n));
  take(n == 0 ? reader_.finish() : reader_.feed(buffer));
  return n > 0;
}

void Server::take(const std::vector<Line>& lines) {
  for (const Line& line : lines) {
    Reaction reaction;
    {
      std::lock_guard lock(mutex_);
      reaction = line.too_long ? Protocol::refuse_long_line() : protocol_.receive(line.text);
      for (const std::string& one : reaction.lines) write_line(one);
    }
    for (ToolCall& call : reaction.calls) start(std::move(call));
    for (Ticket ticket : reaction.cancelled) runner_.interrupt(ticket);
  }
}

void Server::start(ToolCall call) {
  std::string lane = lane_of(*call.tool, call.arguments);
  calls_.add(std::move(lane), [this, call = std::move(call)] {
    if (call.cancelled->load()) return;
    ToolResult result = runner_.run(call);
    std::lock_guard lock(mutex_);
    if (auto line = protocol_.finish(call.ticket, result)) write_line(*line);
  });
}

void Server::tell_progress() {
  std::vector<CommandProgress> all = runner_.progress();
  std::lock_guard lock(mutex_);
  for (const CommandProgress& one : all) {
    if (auto line = protocol_.progress(one.ticket, one.seconds, one.message)) write_line(*line);
  }
}

void Server::write_line(const std::string& line) {
  if (output_failed_) return;
  output_failed_ = !os::write_all(output_, line + "\n").ok();
}

bool Server::is_output_gone() const {
  pollfd fd{output_, 0, 0};
  return ::poll(&fd, 1, 0) > 0 && (fd.revents & (POLLERR | POLLNVAL)) != 0;
}

Server::End Server::wait_for_calls() {
  Deadline deadline = Deadline::after(kGrace);
  while (!calls_.wait_idle(Deadline::after(kLook).min(deadline))) {
    if (deadline.passed() || is_output_gone()) return End::kAbandoned;
  }
  return End::kFinished;
}

}  // namespace sf::cli::mcp
