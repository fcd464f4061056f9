// Relay: a proxy between client and daemon that counts connections and cuts one on request.
#pragma once

#include <atomic>
#include <future>
#include <mutex>
#include <string>
#include <thread>

#include "os/fd.h"
#include "testing/temp_dir.h"

namespace sf::test {

class Relay {
 public:
  explicit Relay(std::string daemon_socket);
  ~Relay();  // Requires: no client is connected.

  std::string socket() const { return dir_ / "relay.sock"; }
  // Cuts the first connection on which the daemon has sent `text`, after that event.
  void cut_after(const std::string& text);
  void wait_until_cut();
  int connections() const { return connections_; }  // number of connections so far

 private:
  void serve();
  void carry(os::UniqueFd client);

  TempDir dir_;
  std::string daemon_socket_;
  os::UniqueFd listener_;
  os::UniqueFd end_;  // readable once no more clients come
  std::mutex mutex_;
  std::string cut_text_;
  std::atomic<int> connections_ = 0;
  std::promise<void> cut_;
  std::thread thread_;  // one thread, since a client opens one connection after the other
};

}  // namespace sf::test
