#include "service/daemon.h"

#include <fcntl.h>
#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "os/error.h"
#include "os/file.h"
#include "os/file_lock.h"
#include "os/socket.h"
#include "os/tcp_socket.h"
#include "service/housekeeper.h"
#include "service/http_server.h"
#include "service/routes.h"
#include "wire/daemon_probe.h"

namespace sf::service {
namespace {

constexpr mode_t kSocketMode = 0660;
constexpr mode_t kSocketDirMode = 0755;
// A daemon that has just ended, or was killed, may hold its locks for a moment.
constexpr seconds kLockTimeout{10};
constexpr seconds kLookTime{2};
// Time limit for requests that are running at SIGTERM. A request that is cut off has not been
// acknowledged, as in a crash.
constexpr seconds kGrace{5};

sigset_t ending_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

// Allows one daemon per socket, as long as the descriptor is open.
Result<os::UniqueFd> lock_socket(const std::string& socket_path) {
  std::size_t slash = socket_path.rfind('/');
  if (slash != std::string::npos && slash > 0)
    SF_TRY(os::make_directories(socket_path.substr(0, slash), kSocketDirMode));
  SF_TRY_ASSIGN(os::UniqueFd lock,
                os::open_file(socket_path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  auto is_served = [&] { return wire::daemon_answers(socket_path, Deadline::after(kLookTime)); };
  SF_TRY_ASSIGN(bool ours, os::take_lock(lock, Deadline::after(kLockTimeout), is_served));
  if (!ours)
    return fail(ErrorCode::kBusy, "another daemon serves " + socket_path,
                "use that daemon, or choose another --socket");
  return lock;
}

// Reports the result of the start, once, to the process that started this one.
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

// Ends the server on a signal, and the process if running requests do not end in time.
class SignalWatch {
 public:
  SignalWatch(std::vector<Server*> servers, DaemonLog& log, std::string socket_path)
      : servers_(std::move(servers)), log_(log), socket_path_(std::move(socket_path)) {
    thread_ = std::thread([this] { watch(); });
  }
  // Requires: the servers have stopped.
  ~SignalWatch() {
    {
      std::lock_guard lock(mutex_);
      served_ = true;
    }
    changed_.notify_all();
    ::pthread_kill(thread_.native_handle(), SIGTERM);  // wakes the thread if no signal arrived
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
    for (Server* server : servers_) server->stop();
    lock.lock();
    if (changed_.wait_for(lock, kGrace, [this] { return served_; })) return;
    log_.info("ended with requests still running");
    ::unlink(socket_path_.c_str());
    ::_exit(0);
  }

  std::vector<Server*> servers_;
  DaemonLog& log_;
  std::string socket_path_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool served_ = false;
  std::thread thread_;
};

constexpr const char* kUsualGroup = "statefork";

// Gives the socket to a group. Its members may use the daemon.
Status give_to_group(const std::string& socket_path, const std::string& wanted) {
  const std::string& name = wanted.empty() ? kUsualGroup : wanted;
  std::vector<char> buffer(64U << 10U);
  ::group entry{};
  ::group* found = nullptr;
  ::getgrnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found);
  if (found == nullptr) {
    if (wanted.empty()) return Ok{};
    return invalid("there is no group '" + wanted + "'", "create it: groupadd " + wanted);
  }
  if (::chown(socket_path.c_str(), static_cast<uid_t>(-1), entry.gr_gid) != 0)
    return os::last_error("giving " + socket_path + " to group " + name);
  return Ok{};
}

Status check_token(const DaemonOptions& options) {
  constexpr std::size_t kShortest = 16;
  if (options.listen.empty()) return Ok{};
  bool is_plain = std::ranges::all_of(options.token, [](char c) { return c > ' ' && c < 127; });
  if (options.token.size() < kShortest || !is_plain)
    return invalid("listening on TCP needs a token of at least 16 visible characters",
                   "make one: openssl rand -hex 32 >FILE; chmod 600 FILE; use --token-file FILE");
  return Ok{};
}

struct Listener {
  os::UniqueFd fd;
  std::unique_ptr<Server> server;
};

Result<std::vector<Listener>> open_listeners(const DaemonOptions& options, const Router& router,
                                             DaemonLog& log) {
  std::vector<Listener> listeners;
  if (!options.listen.empty()) {
    SF_TRY_ASSIGN(os::TcpAddress address, os::parse_tcp_address(options.listen));
    SF_TRY_ASSIGN(os::UniqueFd fd, os::listen_tcp(address));
    SF_TRY_ASSIGN(std::uint16_t port, os::port_of(fd.get()));
    log.info("listening", {{"host", address.host}, {"port", std::to_string(port)}});
    listeners.push_back({std::move(fd), std::make_unique<Server>(router, log, options.token)});
  }
  SF_TRY_ASSIGN(os::UniqueFd fd, os::listen_unix(options.socket_path, kSocketMode));
  SF_TRY(give_to_group(options.socket_path, options.group));
  listeners.push_back({std::move(fd), std::make_unique<Server>(router, log)});
  return listeners;
}

// Returns the first failure, after all listeners have stopped.
Status serve_all(std::vector<Listener>& listeners) {
  std::vector<Status> ended(listeners.size(), Ok{});
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < listeners.size(); ++i)
    threads.emplace_back([&listeners, &ended, i] {
      ended[i] = listeners[i].server->serve(std::move(listeners[i].fd));
      for (Listener& other : listeners) other.server->stop();
    });
  threads.clear();  // waits for the threads
  for (Status& status : ended) SF_TRY(status);
  return Ok{};
}

Status serve(const DaemonOptions& options, DaemonLog& log, ReadyReport& ready) {
  SF_TRY(check_token(options));
  SF_TRY_ASSIGN(os::UniqueFd lock, lock_socket(options.socket_path));
  SF_TRY_ASSIGN(auto directory, SessionDirectory::open({.state_dir = options.state_dir,
                                                        .tools = options.tools,
                                                        .prerestores = options.prerestores},
                                                       log));
  Metrics metrics;
  ExecutionTable executions;
  Router router;
  add_all_routes(router, {*directory, executions, metrics, options.version});
  router.watch([&metrics](const std::string& route, int status, microseconds took) {
    metrics.count(route, status, took);
  });
  router.on_failure([&log](const std::string& route, const Error& error) {
    log.error("a request failed", error, {{"route", route}});
  });
  SF_TRY_ASSIGN(std::vector<Listener> listeners, open_listeners(options, router, log));
  log.info("ready", {{"socket", options.socket_path},
                     {"state", options.state_dir},
                     {"sessions", std::to_string(directory->all().size())}});
  ready.tell("ok");
  Status served = Ok{};
  {
    std::vector<Server*> servers;
    for (Listener& listener : listeners) servers.push_back(listener.server.get());
    SignalWatch watch(std::move(servers), log, options.socket_path);
    Housekeeper housekeeper(*directory, log);
    served = serve_all(listeners);
    executions.wait_all();  // within the time limit for running requests
  }
  ::unlink(options.socket_path.c_str());
  return served;
}

}  // namespace

Status run_daemon(const DaemonOptions& options) {
  ReadyReport ready(options.ready_fd);
  sigset_t signals = ending_signals();
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);  // a backend's program may end while we write to it
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
