// Relay: stands between client and daemon, counts connections and cuts one on demand.
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
  ~Relay();  // Requires: no client is connected any more.

  std::string socket() const { return dir_ / "relay.sock"; }
  // The first connection over which this text came from the daemon is cut behind it.
  void cut_after(const std::string& text);
  void wait_until_cut();
  int connections() const { return connections_; }  // that clients have made so far

 private:
  void serve();
  void carry(os::UniqueFd client);

  TempDir dir_;
  std::string daemon_socket_;
  os::UniqueFd listener_;
  os::UniqueFd end_;  // readable: no more clients
  std::mutex mutex_;
  std::string cut_text_;
  std::atomic<int> connections_ = 0;
  std::promise<void> cut_;
  std::thread thread_;  // one client at a time is enough: it opens one connection after the other
};

}  // namespace sf::test
