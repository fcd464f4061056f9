// Whether to ask a server again, and when. Pure.
#pragma once

#include <optional>

#include "base/clock.h"

namespace sf::explore::llm {

struct RetryRules {
  int most_attempts = 6;
  milliseconds first_wait{1000};  // then twice as long each time,
  milliseconds longest_wait{60'000};
};

struct FailedAttempt {
  int number = 1;                           // the first one is 1
  int status = 0;                           // of HTTP; 0: there was no answer
  std::optional<milliseconds> retry_after;  // what the server asks for
  bool is_final = false;                    // the server says that it will not get better
};

// How long to wait before the next attempt; nothing: there is none. `jitter`, from 0 to 1, keeps
// those who failed together from coming back together.
std::optional<milliseconds> wait_before_retry(const RetryRules& rules, const FailedAttempt& failed,
                                              double jitter);

}  // namespace sf::explore::llm
