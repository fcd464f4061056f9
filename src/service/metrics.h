// Metrics: counts and latencies of requests in the format of Prometheus. Thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "base/clock.h"
#include "control/session_stats.h"

namespace sf::service {

// Current sums over all sessions.
struct HostNumbers {
  std::uint64_t sessions = 0;
  std::uint64_t live_branches = 0;
  std::uint64_t nodes = 0;
  std::uint64_t physical_snapshots = 0;
  std::uint64_t physical_bytes = 0;
};

class Metrics {
 public:
  // `route`: "POST /v1/sessions"; empty if no route matched the request.
  void count(const std::string& route, int status, microseconds took);
  // The text exposition format, version 0.0.4.
  std::string text(const HostNumbers& now) const;

 private:
  static constexpr std::array<double, 12> kBounds = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
                                                     0.05,   0.1,   0.25,   1,     5,    30};
  struct Latency {
    std::array<std::uint64_t, kBounds.size()> up_to{};  // each counts those below it too
    std::uint64_t count = 0;
    double sum_seconds = 0;
  };

  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, std::uint64_t> answers_;  // by route and status
  std::map<std::string, Latency> latencies_;                      // by route
};

}  // namespace sf::service
