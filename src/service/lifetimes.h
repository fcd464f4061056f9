// Decides when a session expires. Its time-to-live counts from its creation. Its idle time counts
// from the end of its last use; a session with a running process is not idle.
#pragma once

#include <mutex>
#include <string_view>

#include "base/clock.h"
#include "control/session_records.h"

namespace sf::service {

enum class Ending { kNone, kTtl, kIdle };
std::string_view to_string(Ending why);

class SessionUse {  // Thread-safe.
 public:
  SessionUse(control::WallTime created, control::SessionTerms terms)
      : created_(created), terms_(terms) {}

  void begin();
  void end();
  void touch();  // as if a use had just ended
  // The terms' decision at this moment. The caller must check whether a process runs in an idle
  // session.
  Ending ending(control::WallTime wall_now, Clock::time_point now) const;

 private:
  const control::WallTime created_;
  const control::SessionTerms terms_;
  mutable std::mutex mutex_;
  int users_ = 0;
  Clock::time_point last_used_ = Clock::now();
};

}  // namespace sf::service
