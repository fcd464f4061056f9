// KeeperServer: the keeper's socket. Reads requests, passes them to a handler, and queues replies.
// Independent of the branch.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/result.h"
#include "os/fd.h"
#include "os/poller.h"
#include "wire/frame.h"

namespace sf::waypoint {

// The server's side of one connection. A handler that must still reply keeps a ClientPtr. Replies
// to a client that has disconnected are dropped.
class Client {
 public:
  Client(os::Poller& poller, os::UniqueFd socket) : poller_(poller), socket_(std::move(socket)) {}
  ~Client() { close(); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void send(const wire::Frame& frame);
  void send_error(const Error& error) { send({{{"error", wire::error_to_json(error)}}, {}}); }
  bool gone() const { return !socket_.valid(); }
  void close();

 private:
  friend class KeeperServer;
  void flush();

  os::Poller& poller_;
  os::UniqueFd socket_;
  wire::FrameReader reader_;
  std::string unsent_;
  std::size_t sent_ = 0;  // bytes of unsent_ that were sent
};

using ClientPtr = std::shared_ptr<Client>;

class KeeperServer {
 public:
  using Handler = std::function<void(const ClientPtr&, wire::Frame)>;

  KeeperServer(os::Poller& poller, Handler handler)
      : poller_(poller), handler_(std::move(handler)) {}
  ~KeeperServer();
  Status listen(const std::string& path);
  bool has_clients() const { return !clients_.empty(); }
  void close_all_but(const Client& client);
  // Writes the queued replies, for at most one second.
  void flush_all();

 private:
  void accept();
  void on_client(int fd, std::uint32_t events);

  os::Poller& poller_;
  Handler handler_;
  os::UniqueFd listener_;
  std::map<int, ClientPtr> clients_;
};

}  // namespace sf::waypoint
