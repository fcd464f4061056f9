#include "shell/side_exec.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <random>

#include "os/error.h"
#include "os/file.h"
#include "os/process.h"
#include "shell/init/init_protocol.h"
#include "shell/permitted_calls.h"

namespace sf::waypoint {
namespace {

constexpr auto kKillPause = seconds(2);  // between SIGTERM and SIGKILL

StartRequest plain_request(const char* kind, long id = 0) {
  return {.kind = kind, .id = id, .who = {}, .cwd = "", .argv = {}, .env = {}};
}

// Reads the available bytes. Returns false if no process has the write end open any more.
template <typename Take>
bool read_pipe(int fd, Take take) {
  char buffer[65536];
  for (;;) {
    ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n > 0) {
      take(std::string_view(buffer, static_cast<std::size_t>(n)));
      continue;
    }
    if (n < 0 && errno == EINTR) continue;
    return n < 0 && errno == EAGAIN;
  }
}

ssize_t write_pipe(const ChangePermit& /*permit*/, int fd, std::string_view bytes) {
  return ::write(fd, bytes.data(), bytes.size());
}

}  // namespace

SideCommands::~SideCommands() {
  for (auto& [id, side] : sides_) close(side);
  for (auto& [number, fd] : orphans_) poller_.remove(fd.get());
}

std::string SideCommands::init_fd(int number) const {
  return "/proc/" + std::to_string(init_) + "/fd/" + std::to_string(number);
}

void SideCommands::adopt_orphans(ShellChannel& channel) {
  adopted_ = true;
  // Records of captured side commands may still arrive, so new ids must not repeat their ids.
  next_id_ += static_cast<long>(std::random_device{}()) << 8U;
  auto names = os::list_directory("/proc/" + std::to_string(init_) + "/fd");
  if (!names) return;
  bool was_starting = false;
  for (const std::string& name : *names) {
    int number = 0;
    std::from_chars(name.data(), name.data() + name.size(), number);
    was_starting = was_starting || (number >= kInitFdEnd && number < kFirstSink);
    add_orphan(number);
  }
  // Captured before "go": init still has the other ends, so the command's input would not end.
  if (was_starting) (void)channel.request(gate_.open(), plain_request("go"));
  if (!orphans_.empty()) (void)channel.request(gate_.open(), plain_request("sweep"));
}

void SideCommands::add_orphan(int number) {
  if (number < kFirstSink) return;
  auto end = os::open_file(init_fd(number), O_RDONLY | O_NONBLOCK);
  if (!end) return;
  const int fd = end->get();
  auto [at, is_new] = orphans_.emplace(number, std::move(*end));
  if (!is_new) return;
  (void)poller_.add(fd, EPOLLIN, [this, fd](std::uint32_t) {
    if (!read_pipe(fd, [](std::string_view) {})) poller_.remove(fd);
  });
}

void SideCommands::drop_swept_orphans() {
  std::erase_if(orphans_, [this](const auto& orphan) {
    struct stat ours {};
    struct stat theirs {};
    const bool is_kept = ::fstat(orphan.second.get(), &ours) == 0 &&
                         ::stat(init_fd(orphan.first).c_str(), &theirs) == 0 &&
                         ours.st_ino == theirs.st_ino;
    if (!is_kept) poller_.remove(orphan.second.get());
    return !is_kept;
  });
}

void SideCommands::run(const ChangePermit& /*permit*/, ShellChannel& channel, StartRequest start,
                       const SideRequest& request, Done done) {
  long id = next_id_++;
  start.kind = "side";
  start.id = id;
  Side side;
  side.done = std::move(done);
  side.input = request.input;
  side.standard_output = OutputBuffer(request.max_output);
  side.standard_error = OutputBuffer(request.max_output);
  if (request.timeout.count() > 0) side.deadline = Deadline::after(request.timeout);
  sides_.emplace(id, std::move(side));
  waiting_.emplace(id, std::move(start));
  start_next(channel);
}

void SideCommands::start_next(ShellChannel& channel) {
  if (starting_ || waiting_.empty()) return;
  auto node = waiting_.extract(waiting_.begin());
  starting_ = node.key();
  if (Status asked = channel.request(gate_.open(), node.mapped()); !asked) {
    starting_.reset();
    finish(node.key(), std::move(asked).error());
  }
}

void SideCommands::on_record(ShellChannel& channel, const Record& record) {
  if (record.kind == Record::Kind::kPiped || record.kind == Record::Kind::kFailed) {
    auto found = sides_.find(record.numbers[0]);
    if (found == sides_.end()) return on_late_start(channel, record);
    if (record.kind == Record::Kind::kPiped) return on_piped(channel, found->second, record);
    if (starting_ == found->first) starting_.reset();
    Error error = os::os_error(static_cast<int>(record.numbers[1]),
                               "starting the command (" + record.text + ")");
    if (record.text == "exec" && record.numbers[1] == ENOENT) error.code = ErrorCode::kNotFound;
    if (record.numbers[1] == EAGAIN)
      error = std::move(error).with_hint("the branch has reached its process limit");
    finish(found->first, std::move(error));
    return start_next(channel);
  }
  if (record.kind == Record::Kind::kExited) on_exited(channel, record);
}

void SideCommands::on_exited(ShellChannel& channel, const Record& record) {
  const auto pid = static_cast<pid_t>(record.numbers[0]);
  auto is_it = [&](const auto& side) { return side.second.pid == pid; };
  // If there are orphans, the process may be one of them. Only init knows, so always sweep.
  if (late_.erase(pid) > 0 || !orphans_.empty() || std::ranges::any_of(sides_, is_it))
    (void)channel.request(gate_.open(), plain_request("sweep"));
  for (auto& [id, side] : sides_) {
    if (side.pid != pid) continue;
    read_stream(side.out, side.standard_output);
    read_stream(side.err, side.standard_error);
    SideObservation result;
    result.exit_code = os::ExitStatus::from_wait(static_cast<int>(record.numbers[1])).shell_code();
    result.timed_out = side.timed_out;
    result.duration = side.watch.elapsed();
    result.truncated = side.standard_output.truncated() || side.standard_error.truncated();
    result.standard_output = side.standard_output.take();
    result.standard_error = side.standard_error.take();
    return finish(id, std::move(result));
  }
}

// A side command started that no client waits for: its time limit had passed, or it was captured.
void SideCommands::on_late_start(ShellChannel& channel, const Record& record) {
  if (starting_ != record.numbers[0]) {
    if (!adopted_ || record.kind != Record::Kind::kPiped) return;
    // The tree was captured while init was starting the command.
    add_orphan(static_cast<int>(record.numbers[3]));
    add_orphan(static_cast<int>(record.numbers[4]));
    (void)channel.request(gate_.open(), plain_request("go", record.numbers[0]));
    return;
  }
  starting_.reset();
  if (record.kind == Record::Kind::kPiped) {
    const auto pid = static_cast<pid_t>(record.numbers[1]);
    kill_group(pid, SIGKILL);
    late_.insert(pid);
    (void)channel.request(gate_.open(), plain_request("go", record.numbers[0]));
  }
  start_next(channel);
}

void SideCommands::on_piped(ShellChannel& channel, Side& side, const Record& record) {
  side.pid = static_cast<pid_t>(record.numbers[1]);
  auto open_end = [&](long number, int flags) {
    return os::open_file(init_fd(static_cast<int>(number)), flags | O_NONBLOCK);
  };
  auto in = open_end(record.numbers[2], O_WRONLY);
  auto out = open_end(record.numbers[3], O_RDONLY);
  auto err = open_end(record.numbers[4], O_RDONLY);
  if (in) side.in = std::move(*in);
  if (out) side.out = std::move(*out);
  if (err) side.err = std::move(*err);
  (void)channel.request(gate_.open(), plain_request("go", record.numbers[0]));
  starting_.reset();
  for (auto [fd, buffer] :
       {std::pair(&side.out, &side.standard_output), std::pair(&side.err, &side.standard_error)}) {
    if (!fd->valid()) continue;
    (void)poller_.add(fd->get(), EPOLLIN, [this, fd = fd, buffer = buffer](std::uint32_t) {
      read_stream(*fd, *buffer);
    });
  }
  feed_input(side);
  if (side.in.valid())
    (void)poller_.add(side.in.get(), EPOLLOUT, [this, &side](std::uint32_t) { feed_input(side); });
  start_next(channel);
}

void SideCommands::feed_input(Side& side) {
  while (side.in.valid() && side.fed < side.input.size()) {
    const std::string_view rest = std::string_view(side.input).substr(side.fed);
    const ssize_t n = write_pipe(gate_.open(), side.in.get(), rest);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n < 0) side.fed = side.input.size();  // EPIPE: the command does not read; not an error
    if (n > 0) side.fed += static_cast<std::size_t>(n);
  }
  if (!side.in.valid()) return;
  poller_.remove(side.in.get());
  side.in.reset();  // end of file
}

void SideCommands::read_stream(os::UniqueFd& fd, OutputBuffer& into) {
  if (!fd.valid() || read_pipe(fd.get(), [&](std::string_view bytes) { into.append(bytes); }))
    return;
  poller_.remove(fd.get());
  fd.reset();
}

void SideCommands::on_time() {
  std::vector<long> never_began;
  for (auto& [id, side] : sides_) {
    if (!side.deadline.passed()) continue;
    if (side.pid == 0) {
      never_began.push_back(id);
      continue;
    }
    kill_group(side.pid, side.timed_out ? SIGKILL : SIGTERM);
    side.timed_out = true;
    side.deadline = Deadline::after(kKillPause);
  }
  for (long id : never_began) {
    waiting_.erase(id);
    finish(id, fail(ErrorCode::kTimedOut, "the command did not start within its time limit",
                    "other commands may be starting; try again with a longer time limit"));
  }
}

Deadline SideCommands::next_wake() const {
  Deadline wake = Deadline::never();
  for (const auto& [id, side] : sides_) wake = wake.min(side.deadline);
  return wake;
}

void SideCommands::kill_group(pid_t leader, int number) {
  if (init_ == ::getpid()) {  // an agent: `leader` is a pid of its own PID namespace
    send_group_signal(gate_.open(), leader, number);
    return;
  }
  for (pid_t child : os::children_of(init_)) {
    if (os::namespace_pid(child) == leader) send_group_signal(gate_.open(), child, number);
  }
}

void SideCommands::finish(long id, Result<SideObservation> result) {
  auto node = sides_.extract(id);
  if (node.empty()) return;
  close(node.mapped());
  node.mapped().done(std::move(result));
}

void SideCommands::close(Side& side) {
  for (os::UniqueFd* fd : {&side.in, &side.out, &side.err}) {
    if (fd->valid()) poller_.remove(fd->get());
    fd->reset();
  }
}

}  // namespace sf::waypoint
