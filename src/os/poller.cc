#include "os/poller.h"

#include <sys/epoll.h>

#include <array>

#include "os/error.h"

namespace sf::os {

Result<Poller> Poller::create() {
  UniqueFd epoll(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll.valid()) return last_error("creating an event loop");
  return Poller(std::move(epoll));
}

Status Poller::add(int fd, std::uint32_t events, Callback callback) {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0)
    return last_error("watching a descriptor");
  callbacks_[fd] = std::make_shared<Callback>(std::move(callback));
  return Ok{};
}

Status Poller::change(int fd, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event) != 0)
    return last_error("watching a descriptor");
  return Ok{};
}

void Poller::remove(int fd) {
  if (callbacks_.erase(fd) == 0) return;
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
    auto found = callbacks_.find(event.data.fd);
    if (found == callbacks_.end()) continue;  // removed by an earlier callback of this round
    std::shared_ptr<Callback> callback = found->second;
    (*callback)(event.events);
  }
  return Ok{};
}

}  // namespace sf::os
