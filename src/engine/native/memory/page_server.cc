#include "engine/native/memory/page_server.h"

#include <poll.h>
#include <sys/eventfd.h>

#include <csignal>
#include <system_error>

#include "base/scope_exit.h"
#include "engine/native/memory/missing_pages.h"
#include "os/error.h"

namespace sf::waypoint::native {

PageServer::~PageServer() {
  if (!thread_.joinable()) return;
  {
    std::lock_guard guard(mutex_);
    ending_ = true;
  }
  look_again();
  thread_.join();
}

Status PageServer::start() {
  if (thread_.joinable()) return Ok{};
  wake_.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake_.valid()) return os::last_error("making an event");
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);  // signals are for the main thread
  ScopeExit unblock([&] { ::pthread_sigmask(SIG_SETMASK, &before, nullptr); });
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error& e) {
    return os::os_error(e.code().value(), "starting a thread");
  }
  return Ok{};
}

void PageServer::look_again() const {
  if (wake_.valid()) ::eventfd_write(wake_.get(), 1);
}

void PageServer::settle() {
  if (!thread_.joinable()) return;
  std::unique_lock lock(mutex_);
  const std::uint64_t before = looks_;
  look_again();
  looked_.wait(lock, [&] { return looks_ > before; });
}

void PageServer::run() {
  for (;;) {
    std::vector<pollfd> wanted = {{wake_.get(), POLLIN, 0}};
    bool unfinished = false;
    {
      std::lock_guard guard(mutex_);
      if (ending_) return;
      for (WatchedMemory* memory : table_.served())
        wanted.push_back({memory->fault.fd(), POLLIN, 0});
      unfinished = table_.child() != nullptr;
      looks_ += 1;
      looked_.notify_all();
    }
    if (::poll(wanted.data(), wanted.size(), unfinished ? 0 : -1) < 0) continue;
    eventfd_t ignored = 0;
    (void)::eventfd_read(wake_.get(), &ignored);
    std::lock_guard guard(mutex_);
    if (!answer_events(table_)) complete_some(table_);
  }
}

}  // namespace sf::waypoint::native
