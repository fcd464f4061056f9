#include "os/poller.h"

#include <sys/epoll.h>

#include <array>

#include "os/error.h"

namespace sf::os {
namespace {

epoll_event event_for(int fd, std::uint32_t generation, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = static_cast<std::uint64_t>(generation) << 32U | static_cast<std::uint32_t>(fd);
  return event;
}

}  // namespace

Result<Poller> Poller::create() {
  UniqueFd epoll(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll.valid()) return last_error("creating an event loop");
  return Poller(std::move(epoll));
}

Status Poller::add(int fd, std::uint32_t events, Callback callback) {
  std::uint32_t generation = next_generation_++;
  epoll_event event = event_for(fd, generation, events);
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0)
    return last_error("watching a descriptor");
  entries_[fd] = {generation, std::make_shared<Callback>(std::move(callback))};
  return Ok{};
}

Status Poller::change(int fd, std::uint32_t events) {
  epoll_event event = event_for(fd, entries_[fd].generation, events);
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event) != 0)
    return last_error("watching a descriptor");
  return Ok{};
}

void Poller::remove(int fd) {
  if (entries_.erase(fd) == 0) return;
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
}

Status Poller::run_once(Deadline deadline) {
  std::array<epoll_event, 32> events{};
  int n = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()),
                       deadline.poll_timeout_ms());
  if (n < 0) {
    if (errno == EINTR) return Ok{};
    return last_error("waiting for events");
  }
  for (int i = 0; i < n; ++i) {
    const epoll_event& event = events[static_cast<std::size_t>(i)];
    auto found = entries_.find(static_cast<int>(event.data.u64 & 0xffffffffU));
    // An earlier callback of this round has removed or replaced the descriptor.
    if (found == entries_.end() || found->second.generation != event.data.u64 >> 32U) continue;
    std::shared_ptr<Callback> callback = found->second.callback;
    (*callback)(event.events);
  }
  return Ok{};
}

}  // namespace sf::os
