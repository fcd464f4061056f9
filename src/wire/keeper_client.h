// KeeperClient: the manager's side of one keeper's socket. Thread-safe: each running call has its
// own connection.
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

// The events of a request that ends only with its connection. Not thread-safe.
class KeeperStream {
 public:
  explicit KeeperStream(KeeperConnection connection) : connection_(std::move(connection)) {}
  // Returns nothing if no event arrives before the deadline. kSessionLost: the branch has ended.
  Result<std::optional<wire::Frame>> next(Deadline deadline);

 private:
  KeeperConnection connection_;
};

class KeeperClient {
 public:
  using Connect = std::function<Result<os::UniqueFd>()>;

  explicit KeeperClient(std::string socket_path);
  // Connects to the server with `connect` instead of a socket path. The errors kNotFound and
  // ECONNREFUSED mean that the server has ended.
  explicit KeeperClient(Connect connect) : connect_(std::move(connect)) {}

  // Sends one request and returns its reply. Frames with an "event" before the reply go to
  // `on_event`. A reply with an "error" is returned as an Error.
  Result<wire::Frame> call(const wire::Frame& request, Deadline deadline,
                           const std::function<void(const wire::Frame&)>& on_event = {});
  // Like call(), with the structs of keeper_protocol.h.
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
  // Asks the keeper to end, and waits until its process has ended.
  Status end(Deadline deadline);
  // Makes the keeper close the connections of all its clients: running calls fail with
  // kSessionLost. Does not wait for the keeper.
  void hang_up();
  // Closes the connections that no call uses.
  void drop_idle();
  // The number of requests that call() has sent.
  std::uint64_t calls() const { return calls_; }
  // Keeps one connection open, because an unused keeper ends when it has no connection.
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
