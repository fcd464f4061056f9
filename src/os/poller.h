// Poller: an event loop over epoll for one thread. A callback may add and remove descriptors,
// including its own.
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

  // `events`: EPOLLIN etc.; level-triggered unless EPOLLET is set. Requires: `fd` was not added
  // before.
  Status add(int fd, std::uint32_t events, Callback callback);
  Status change(int fd, std::uint32_t events);
  void remove(int fd);
  bool contains(int fd) const { return entries_.contains(fd); }

  // Waits for an event or the deadline, and runs the callbacks.
  Status run_once(Deadline deadline);

 private:
  explicit Poller(UniqueFd epoll) : epoll_(std::move(epoll)) {}
  UniqueFd epoll_;
  // Shared, so that a callback that removes itself is not destroyed while it runs.
  struct Entry {
    std::uint32_t generation = 0;  // differs from an earlier descriptor of the same number
    std::shared_ptr<Callback> callback;
  };
  std::map<int, Entry> entries_;
  std::uint32_t next_generation_ = 0;
};

}  // namespace sf::os
