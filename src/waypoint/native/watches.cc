#include "waypoint/native/watches.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <system_error>

#include "base/scope_exit.h"
#include "os/error.h"
#include "waypoint/native/pages_file.h"

namespace sf::waypoint::native {
namespace {

// Around the page that is asked for: as cheap as one page at a time is slow.
constexpr std::uint64_t kWindow = 64U << 10U;
constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kAtOnce = 2U << 20U;

// From `at` on. What lies in several mappings is brought by the page: at once it would be ENOENT.
Result<std::uint64_t> bring_part(const UserFault& fault, const Piece& piece, std::uint64_t at,
                                 const unsigned char* bytes) {
  const unsigned char* from = bytes + piece.offset + (at - piece.start);
  auto done = fault.bring(at, from, piece.end - at);
  bool is_missing = !done && done.error().os_errno == ENOENT;
  return is_missing && piece.end - at > kPage ? fault.bring(at, from, kPage) : done;
}

}  // namespace

Watches::~Watches() {
  if (!server_.joinable()) return;
  {
    std::lock_guard guard(mutex_);
    ending_ = true;
  }
  ::eventfd_write(wake_.get(), 1);
  server_.join();
}

WatchedMemory* Watches::find(ProcessName name) {
  auto found = watched_.find(name);
  return found == watched_.end() ? nullptr : &found->second;
}

void Watches::keep_only(const std::vector<ProcessName>& names) {
  std::erase_if(watched_, [&](const auto& each) {
    return std::ranges::find(names, each.first) == names.end();
  });
}

Status Watches::add(ProcessName name, WatchedMemory memory) {
  bool serves = memory.purpose == UserFault::Purpose::kServe;
  if (serves) SF_TRY(start_server());
  {
    std::lock_guard guard(mutex_);
    watched_.insert_or_assign(name, std::move(memory));
  }
  if (serves) ::eventfd_write(wake_.get(), 1);
  return Ok{};
}

Status Watches::start_server() {
  if (server_.joinable()) return Ok{};
  wake_.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake_.valid()) return os::last_error("making an event");
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);  // signals are for the main thread
  ScopeExit unblock([&] { ::pthread_sigmask(SIG_SETMASK, &before, nullptr); });
  try {
    server_ = std::thread([this] { serve(); });
  } catch (const std::system_error& e) {
    return os::os_error(e.code().value(), "starting a thread");
  }
  return Ok{};
}

void Watches::serve() {
  for (;;) {
    std::vector<pollfd> wanted = {{wake_.get(), POLLIN, 0}};
    bool unfinished = false;
    {
      std::lock_guard guard(mutex_);
      if (ending_) return;
      for (auto& [name, memory] : watched_)
        if (memory.purpose == UserFault::Purpose::kServe)
          wanted.push_back({memory.fault.fd(), POLLIN, 0});
      for (WatchedMemory& child : children_) wanted.push_back({child.fault.fd(), POLLIN, 0});
      unfinished = !children_.empty();
    }
    if (::poll(wanted.data(), wanted.size(), unfinished ? 0 : -1) < 0) continue;
    eventfd_t ignored = 0;
    (void)::eventfd_read(wake_.get(), &ignored);
    std::lock_guard guard(mutex_);
    bool happened = false;
    for (auto& [name, memory] : watched_)
      if (memory.purpose == UserFault::Purpose::kServe) happened |= serve_events(memory);
    for (std::size_t i = 0; i < children_.size(); ++i) happened |= serve_events(children_[i]);
    if (!happened) complete_one();
  }
}

bool Watches::serve_events(WatchedMemory& memory) {
  std::vector<FaultEvent> events = memory.fault.read();
  std::vector<WatchedMemory> born;
  for (FaultEvent& event : events) {
    switch (event.kind) {
      case FaultEvent::Kind::kMissing:
        bring(memory, event.address);
        break;
      case FaultEvent::Kind::kMove:
        memory.backing.move(event.range.start, event.to, event.range.size());
        break;
      case FaultEvent::Kind::kRemove:
        memory.backing.erase(event.range);
        break;
      case FaultEvent::Kind::kFork:
        born.push_back(
            {UserFault(std::move(event.child)), UserFault::Purpose::kServe, memory.backing});
        break;
    }
  }
  for (WatchedMemory& child : born) children_.push_back(std::move(child));
  return !events.empty();
}

void Watches::bring(const WatchedMemory& memory, std::uint64_t address) {
  std::uint64_t start = address / kWindow * kWindow;
  bool is_known = false;
  for (const Piece& piece : memory.backing.within({start, start + kWindow})) {
    is_known |= piece.start <= address && address < piece.end;
    const unsigned char* bytes = piece.file->bytes();
    for (std::uint64_t at = piece.start; bytes != nullptr && at < piece.end;) {
      auto done = bring_part(memory.fault, piece, at, bytes);
      if (!done && done.error().os_errno != ENOENT) break;
      at += std::max(done ? *done : kPage, kPage);
    }
  }
  // What could not be brought is asked for again: nothing else may take its place.
  if (is_known) {
    memory.fault.wake({address, address + kPage});
  } else {
    memory.fault.bring_zero(address);
  }
}

bool Watches::complete_some(WatchedMemory& memory) {
  std::vector<Piece> pieces = memory.backing.within({0, ~0ULL});
  if (pieces.empty()) return false;
  Piece piece = cut(pieces.front(), {pieces.front().start, pieces.front().start + kAtOnce});
  const unsigned char* bytes = piece.file->bytes();
  if (bytes == nullptr) return true;  // no memory for it now
  for (std::uint64_t at = piece.start; at < piece.end;) {
    auto done = bring_part(memory.fault, piece, at, bytes);
    if (!done && done.error().os_errno == ESRCH) return false;
    if (!done && done.error().os_errno != ENOENT) return true;  // ENOENT: nothing is mapped there
    at += std::max(done ? *done : kPage, kPage);
  }
  memory.backing.erase({piece.start, piece.end});
  return !memory.backing.empty();
}

void Watches::complete_one() {
  if (children_.empty() || complete_some(children_.back())) return;
  children_.pop_back();  // its descriptor is closed: the memory is like any other
}

void Watches::end_all() {
  {
    std::lock_guard guard(mutex_);
    for (auto& [name, memory] : watched_)
      if (memory.purpose == UserFault::Purpose::kServe) children_.push_back(std::move(memory));
    watched_.clear();
  }
  complete_children();
}

void Watches::complete_children() {
  for (;;) {
    std::lock_guard guard(mutex_);
    if (children_.empty()) return;
    serve_events(children_.back());
    complete_one();
  }
}

}  // namespace sf::waypoint::native
