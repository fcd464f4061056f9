// Housekeeper: periodically ends expired sessions, reopens backends that failed, and collects
// garbage.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "service/daemon_log.h"
#include "service/session_directory.h"

namespace sf::service {

class Housekeeper {
 public:
  // Requires: both references outlive it.
  Housekeeper(SessionDirectory& directory, DaemonLog& log)
      : thread_([&](const std::stop_token& stop) { keep_house(stop, directory, log); }) {}

 private:
  void keep_house(const std::stop_token& stop, SessionDirectory& directory, DaemonLog& log);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::jthread thread_;  // last, because its thread uses the other members
};

}  // namespace sf::service
