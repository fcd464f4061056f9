#include "explore/agents/llm/retry.h"

#include <algorithm>

namespace sf::explore::llm {
namespace {

// No answer, a malformed answer and temporary server states are worth a retry. An invalid request
// stays invalid.
bool may_pass(int status) {
  constexpr int kRedirects = 300;
  constexpr int kServerErrors = 500;  // includes Anthropic's 529, "overloaded"
  constexpr int kRequestTimeout = 408;
  constexpr int kConflict = 409;
  constexpr int kTooEarly = 425;
  constexpr int kTooManyRequests = 429;
  return status < kRedirects || status >= kServerErrors || status == kRequestTimeout ||
         status == kConflict || status == kTooEarly || status == kTooManyRequests;
}

milliseconds scaled(milliseconds span, double factor) {
  return milliseconds(static_cast<long long>(static_cast<double>(span.count()) * factor));
}

}  // namespace

std::optional<milliseconds> wait_before_retry(const RetryRules& rules, const FailedAttempt& failed,
                                              double jitter) {
  if (failed.is_final || failed.number >= rules.most_attempts || !may_pass(failed.status))
    return std::nullopt;
  // Never retry before the time that the server names.
  if (failed.retry_after) return *failed.retry_after + scaled(rules.first_wait, jitter);
  milliseconds wait = rules.first_wait;
  for (int i = 1; i < failed.number && wait < rules.longest_wait; ++i) wait *= 2;
  return scaled(std::min(wait, rules.longest_wait), (1 + jitter) / 2);
}

}  // namespace sf::explore::llm
