// KeeperClient: the manager's side of one keeper's socket. Thread-safe: each call in flight has a
// connection of its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "os/fd.h"
#include "wire/frame.h"
#include "wire/keeper_protocol.h"

namespace sf::waypoint {

struct KeeperConnection {
  os::UniqueFd socket;
  wire::FrameReader reader;
};

// The events of one request that has no end of its own. Not thread-safe.
class KeeperStream {
 public:
  explicit KeeperStream(KeeperConnection connection) : connection_(std::move(connection)) {}
  // Nothing: none before the deadline. kSessionLost: the branch is gone.
  Result<std::optional<wire::Frame>> next(Deadline deadline);

 private:
  KeeperConnection connection_;
};

class KeeperClient {
 public:
  using Connect = std::function<Result<os::UniqueFd>()>;

  explicit KeeperClient(std::string socket_path);
  // Another way to the server than a socket's path. kNotFound and ECONNREFUSED: it is gone.
  explicit KeeperClient(Connect connect) : connect_(std::move(connect)) {}

  // One request, one answer; frames with an "event" before it go to `on_event`. An error answer
  // comes back as Error.
  Result<wire::Frame> call(const wire::Frame& request, Deadline deadline,
                           const std::function<void(const wire::Frame&)>& on_event = {});
  // The same with a request and its reply as keeper_protocol.h has them.
  template <typename Call>
  Result<typename Call::Reply> ask(const Call& request, Deadline deadline,
                                   const std::function<void(const wire::Frame&)>& on_event = {}) {
    SF_TRY_ASSIGN(wire::Frame reply, call(wire::to_frame(request), deadline, on_event));
    return wire::from_frame<typename Call::Reply>(std::move(reply));
  }
  template <typename Reply>
  Result<Reply> ask(const wire::Frame& request, Deadline deadline) {
    SF_TRY_ASSIGN(wire::Frame reply, call(request, deadline));
    return wire::from_frame<Reply>(std::move(reply));
  }
  Result<KeeperStream> open_stream(const wire::Frame& request);
  // Asks the keeper to end and waits until its process has.
  Status end(Deadline deadline);
  // Has the keeper hang up on all its clients: calls under way fail with kSessionLost. Does not
  // wait for it.
  void hang_up();
  // Hangs up where nobody waits for an answer.
  void drop_idle();
  // How many requests were sent with call().
  std::uint64_t calls() const { return calls_; }
  // Keeps one connection open: a keeper that waits for work ends when nobody is connected any more.
  Status hold();

 private:
  Result<KeeperConnection> take();
  void give_back(KeeperConnection connection);

  Connect connect_;
  std::atomic<std::uint64_t> calls_ = 0;
  std::mutex mutex_;
  std::vector<KeeperConnection> idle_;  // guarded by mutex_
};

}  // namespace sf::waypoint
