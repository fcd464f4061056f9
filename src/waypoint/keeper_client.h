// KeeperClient: the manager's side of one keeper's socket. Thread-safe: each call in flight has a
// connection of its own.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "os/fd.h"
#include "wire/frame.h"

namespace sf::waypoint {

class KeeperClient {
 public:
  explicit KeeperClient(std::string socket_path) : path_(std::move(socket_path)) {}

  // One request, one answer; frames with an "event" before it go to `on_event`. An error answer
  // comes back as Error.
  Result<wire::Frame> call(const wire::Frame& request, Deadline deadline,
                           const std::function<void(const wire::Frame&)>& on_event = {});
  // Asks the keeper to end and waits until its process has.
  Status end(Deadline deadline);
  // Keeps one connection open: a keeper that waits for work ends when nobody is connected any more.
  Status hold();

 private:
  struct Connection {
    os::UniqueFd socket;
    wire::FrameReader reader;
  };
  Result<Connection> take();
  void give_back(Connection connection);

  std::string path_;
  std::mutex mutex_;
  std::vector<Connection> idle_;  // guarded by mutex_
};

}  // namespace sf::waypoint
