// Decides whether and when to retry a request. Pure.
#pragma once

#include <optional>

#include "base/clock.h"

namespace sf::explore::llm {

struct RetryRules {
  int most_attempts = 6;
  milliseconds first_wait{1000};  // doubles with each attempt
  milliseconds longest_wait{60'000};
};

struct FailedAttempt {
  int number = 1;                           // the first attempt is 1
  int status = 0;                           // HTTP status; 0: no answer
  std::optional<milliseconds> retry_after;  // as requested by the server
  bool is_final = false;                    // the server reports a permanent error
};

// The wait before the next attempt; nullopt: give up. `jitter`, from 0 to 1, spreads out clients
// that failed at the same time.
std::optional<milliseconds> wait_before_retry(const RetryRules& rules, const FailedAttempt& failed,
                                              double jitter);

}  // namespace sf::explore::llm
