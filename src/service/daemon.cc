#include "service/daemon.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <condition_variable>
#include <csignal>
#include <mutex>
#include <thread>

#include "base/clock.h"
#include "os/error.h"
#include "os/file.h"
#include "os/file_lock.h"
#include "os/socket.h"
#include "service/routes.h"
#include "service/server.h"

namespace sf::service {
namespace {

constexpr mode_t kSocketMode = 0660;
constexpr mode_t kSocketDirMode = 0755;
// A daemon that was just ended, or killed, may hold its locks for a moment longer.
constexpr seconds kLockPatience{10};
// How long requests that are running at SIGTERM may take. What is cut off then is what a crash cuts
// off: nothing that was acknowledged.
constexpr seconds kGrace{5};

sigset_t ending_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

// One daemon per socket, for as long as the descriptor is open.
Result<os::UniqueFd> lock_socket(const std::string& socket_path) {
  std::size_t slash = socket_path.rfind('/');
  if (slash != std::string::npos && slash > 0)
    SF_TRY(os::make_directories(socket_path.substr(0, slash), kSocketDirMode));
  SF_TRY_ASSIGN(os::UniqueFd lock,
                os::open_file(socket_path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  auto is_served = [&] { return os::connect_unix(socket_path).ok(); };
  SF_TRY_ASSIGN(bool ours, os::take_lock(lock, Deadline::after(kLockPatience), is_served));
  if (!ours)
    return fail(ErrorCode::kBusy, "another daemon serves " + socket_path,
                "use that one, or another --socket");
  return lock;
}

// Tells whoever started this process how the start went, once.
class ReadyReport {
 public:
  explicit ReadyReport(int fd) : fd_(fd) {
    if (fd_.valid()) ::fcntl(fd_.get(), F_SETFD, FD_CLOEXEC);
  }
  void tell(std::string_view text) {
    if (fd_.valid()) (void)os::write_all(fd_.get(), text).ok();
    fd_.reset();
  }

 private:
  os::UniqueFd fd_;
};

// Ends the server on a signal, and the process when running requests do not end in time.
class SignalWatch {
 public:
  SignalWatch(Server& server, DaemonLog& log, std::string socket_path)
      : server_(server), log_(log), socket_path_(std::move(socket_path)) {
    thread_ = std::thread([this] { watch(); });
  }
  // Requires: the server has stopped.
  ~SignalWatch() {
    {
      std::lock_guard lock(mutex_);
      served_ = true;
    }
    changed_.notify_all();
    ::pthread_kill(thread_.native_handle(), SIGTERM);  // where it ended without a signal
    thread_.join();
  }

 private:
  void watch() {
    sigset_t signals = ending_signals();
    int number = 0;
    ::sigwait(&signals, &number);
    std::unique_lock lock(mutex_);
    if (served_) return;
    lock.unlock();
    log_.info("ending", {{"signal", std::to_string(number)}});
    server_.stop();
    lock.lock();
    if (changed_.wait_for(lock, kGrace, [this] { return served_; })) return;
    log_.info("ended with requests still running");
    ::unlink(socket_path_.c_str());
    ::_exit(0);
  }

  Server& server_;
  DaemonLog& log_;
  std::string socket_path_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool served_ = false;
  std::thread thread_;
};

Status serve(const DaemonOptions& options, DaemonLog& log, ReadyReport& ready) {
  SF_TRY_ASSIGN(os::UniqueFd lock, lock_socket(options.socket_path));
  SF_TRY_ASSIGN(auto directory, SessionDirectory::open({.state_dir = options.state_dir}, log));
  Router router;
  add_health_route(router, options.version);
  add_session_routes(router, *directory);
  add_branch_routes(router, *directory);
  SF_TRY_ASSIGN(os::UniqueFd listener, os::listen_unix(options.socket_path, kSocketMode));
  Server server(router, log);
  log.info("ready", {{"socket", options.socket_path},
                     {"state", options.state_dir},
                     {"sessions", std::to_string(directory->all().size())}});
  ready.tell("ok");
  Status served = Ok{};
  {
    SignalWatch watch(server, log, options.socket_path);
    served = server.serve(std::move(listener));
  }
  ::unlink(options.socket_path.c_str());
  return served;
}

}  // namespace

Status run_daemon(const DaemonOptions& options) {
  ReadyReport ready(options.ready_fd);
  sigset_t signals = ending_signals();
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  Status status = Ok{};
  if (!options.log_path.empty()) status = os::make_directories(options.state_dir);
  Result<os::UniqueFd> log_fd = open_log(options.log_path);
  if (status.ok() && !log_fd) status = log_fd.error();
  if (status.ok()) {
    DaemonLog log(std::move(*log_fd));
    status = serve(options, log, ready);
    if (status.ok()) {
      log.info("ended");
    } else {
      log.error("ended", status.error());
    }
  }
  if (!status.ok()) ready.tell(status.error().describe());
  return status;
}

}  // namespace sf::service
