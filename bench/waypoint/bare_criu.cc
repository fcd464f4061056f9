#include "bare_criu.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "engine/criu/rpc_codec.h"
#include "os/directory_tree.h"
#include "os/error.h"
#include "os/file.h"
#include "os/socket.h"
#include "waypoint/keeper/keeper_namespaces.h"

namespace sf::bench {
namespace {

using waypoint::criu::RequestType;
using waypoint::criu::Response;

constexpr auto kTimeout = seconds(60);
constexpr auto kStartUp = milliseconds(40);  // longer than CRIU needs to start
constexpr std::size_t kMaxMessage = 65536;
constexpr int kServiceFd = 3;

// Runs between fork and exec. Requires: async-signal-safe calls only.
[[noreturn]] void become_criu(int keeper_pidfd, int socket, char* const* argv, char* const* env) {
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (::setns(keeper_pidfd, CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWUTS | CLONE_NEWIPC) != 0)
    ::_exit(125);
  for (int fd = 0; fd <= 2; ++fd) ::dup2(null, fd);
  if (socket == kServiceFd) {
    ::fcntl(socket, F_SETFD, 0);
  } else {
    ::dup2(socket, kServiceFd);
  }
  ::syscall(SYS_close_range, kServiceFd + 1, ~0U, 0);
  ::execve(argv[0], argv, env);
  ::_exit(127);
}

Result<pid_t> init_of(pid_t keeper) {
  for (pid_t child : os::children_of(keeper)) {
    if (os::namespace_pid(child) == 1) return child;
  }
  return fail(ErrorCode::kNotFound, "the keeper has no process tree");
}

Status send_message(int socket, const std::string& message) {
  if (::send(socket, message.data(), message.size(), MSG_NOSIGNAL) < 0)
    return os::last_error("asking CRIU");
  return Ok{};
}

// The last lines of CRIU's log, which contain its error message.
std::string end_of_log(const std::string& path) {
  auto text = os::read_file(path);
  if (!text) return "no log";
  return text->size() > 400 ? text->substr(text->size() - 400) : *text;
}

}  // namespace

Result<BareCriu::Worker> BareCriu::start(pid_t keeper) const {
  SF_TRY_ASSIGN(auto ends, os::seqpacket_pair());
  os::UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, keeper, 0)));
  if (!pidfd.valid()) return os::last_error("opening the keeper's process");
  std::string service_fd = std::to_string(kServiceFd);
  std::string program = criu_;
  std::string path = "PATH=/usr/sbin:/usr/bin:/sbin:/bin";
  std::string verb = "swrk";
  char* argv[] = {program.data(), verb.data(), service_fd.data(), nullptr};
  char* env[] = {path.data(), nullptr};
  pid_t pid = ::fork();
  if (pid < 0) return os::last_error("forking");
  if (pid == 0) become_criu(pidfd.get(), ends.second.get(), argv, env);
  SF_TRY_ASSIGN(os::Child child, os::adopt_child(pid));
  return Worker{std::move(child), std::move(ends.first)};
}

Result<BareCriu::Restored> BareCriu::ask(pid_t keeper, const std::string& request,
                                         Launch launch) const {
  Stopwatch watch;
  SF_TRY_ASSIGN(Worker worker, start(keeper));
  if (launch == Launch::kReady) {
    std::this_thread::sleep_for(kStartUp);
    watch = Stopwatch();
  }
  SF_TRY(send_message(worker.socket.get(), request));
  Restored restored;
  Deadline deadline = Deadline::after(kTimeout);
  for (;;) {
    SF_TRY_ASSIGN(bool ready, os::wait_readable(worker.socket.get(), deadline));
    if (!ready) return fail(ErrorCode::kTimedOut, "bare CRIU did not answer in time");
    SF_TRY_ASSIGN(os::Datagram datagram, os::receive_datagram(worker.socket.get(), kMaxMessage));
    if (datagram.bytes.empty()) return fail(ErrorCode::kOs, "bare CRIU ended unexpectedly");
    SF_TRY_ASSIGN(Response response, waypoint::criu::decode_response(datagram.bytes));
    if (response.type == RequestType::kNotify) {
      if (datagram.passed_fd.valid()) restored.terminal = std::move(datagram.passed_fd);
      SF_TRY(send_message(worker.socket.get(), waypoint::criu::encode_notify_answer(true)));
      continue;
    }
    restored.took = watch.elapsed();
    if (!response.success)
      return fail(ErrorCode::kOs, "bare CRIU failed: " + end_of_log(image_dir_ + "/log"));
    if (response.pid > 0) {
      SF_TRY_ASSIGN(restored.init, os::adopt_child(response.pid));
    }
    return restored;
  }
}

Result<microseconds> BareCriu::dump(pid_t keeper, Launch launch) {
  SF_TRY(os::remove_tree(image_dir_));
  SF_TRY(os::make_directories(image_dir_));
  SF_TRY_ASSIGN(pid_t init, init_of(keeper));
  waypoint::criu::Options options;
  options.images_dir = image_dir_;
  options.log_file = "log";
  options.pid = init;
  options.leave_running = true;
  SF_TRY_ASSIGN(Restored done,
                ask(keeper, waypoint::criu::encode_request(RequestType::kDump, options), launch));
  ::unlink((image_dir_ + "/timens-0.img").c_str());  // saves 1 ms per restore, as in Waypoint
  return done.took;
}

Result<BareCriu::Restored> BareCriu::restore(pid_t keeper, Launch launch) {
  waypoint::criu::Options options;
  options.images_dir = image_dir_;
  options.log_file = "log";
  options.root = waypoint::kRootMount;
  return ask(keeper, waypoint::criu::encode_request(RequestType::kRestore, options), launch);
}

}  // namespace sf::bench
