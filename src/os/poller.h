// Poller: one thread's event loop over epoll. Callbacks may add and remove descriptors, their own
// included.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>

#include "base/clock.h"
#include "base/result.h"
#include "os/fd.h"

namespace sf::os {

class Poller {
 public:
  using Callback = std::function<void(std::uint32_t events)>;

  static Result<Poller> create();

  // `events` are EPOLLIN and so on: level-triggered, unless EPOLLET is among them.
  // Requires: `fd` is not added yet.
  Status add(int fd, std::uint32_t events, Callback callback);
  Status change(int fd, std::uint32_t events);
  void remove(int fd);
  bool contains(int fd) const { return entries_.contains(fd); }

  // Waits until something happens or the deadline passes, and runs the callbacks.
  Status run_once(Deadline deadline);

 private:
  explicit Poller(UniqueFd epoll) : epoll_(std::move(epoll)) {}
  UniqueFd epoll_;
  // Shared, so that a callback which removes itself is not destroyed while it runs.
  struct Entry {
    std::uint32_t generation = 0;  // tells a descriptor from an earlier one of the same number
    std::shared_ptr<Callback> callback;
  };
  std::map<int, Entry> entries_;
  std::uint32_t next_generation_ = 0;
};

}  // namespace sf::os
