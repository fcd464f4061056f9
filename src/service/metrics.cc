#include "service/metrics.h"

#include <fmt/format.h>

#include <string_view>

namespace sf::service {
namespace {

void head(std::string& text, std::string_view name, std::string_view kind, std::string_view help) {
  text += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, kind);
}

void gauge(std::string& text, std::string_view name, std::string_view help, std::uint64_t value) {
  head(text, name, "gauge", help);
  text += fmt::format("{} {}\n", name, value);
}

}  // namespace

void Metrics::count(const std::string& route, int status, microseconds took) {
  double passed = std::chrono::duration<double>(took).count();
  std::lock_guard lock(mutex_);
  answers_[{route, status}] += 1;
  Latency& latency = latencies_[route];
  latency.count += 1;
  latency.sum_seconds += passed;
  for (std::size_t i = 0; i < kBounds.size(); ++i) {
    if (passed <= kBounds[i]) latency.up_to[i] += 1;
  }
}

std::string Metrics::text(const HostNumbers& now) const {
  std::string text;
  gauge(text, "statefork_sessions", "Number of sessions.", now.sessions);
  gauge(text, "statefork_live_branches", "Number of live branches.", now.live_branches);
  gauge(text, "statefork_nodes", "Number of nodes in all sessions.", now.nodes);
  gauge(text, "statefork_physical_snapshots", "Number of physical snapshots.",
        now.physical_snapshots);
  gauge(text, "statefork_physical_bytes", "Bytes of physical snapshots.", now.physical_bytes);
  std::lock_guard lock(mutex_);
  head(text, "statefork_requests_total", "counter", "Requests answered, by route and status.");
  for (const auto& [key, count] : answers_)
    text += fmt::format("statefork_requests_total{{route=\"{}\",status=\"{}\"}} {}\n", key.first,
                        key.second, count);
  head(text, "statefork_request_duration_seconds", "histogram", "Time to answer a request.");
  for (const auto& [route, latency] : latencies_) {
    for (std::size_t i = 0; i < kBounds.size(); ++i)
      text +=
          fmt::format("statefork_request_duration_seconds_bucket{{route=\"{}\",le=\"{}\"}} {}\n",
                      route, kBounds[i], latency.up_to[i]);
    text +=
        fmt::format("statefork_request_duration_seconds_bucket{{route=\"{}\",le=\"+Inf\"}} {}\n",
                    route, latency.count);
    text += fmt::format("statefork_request_duration_seconds_sum{{route=\"{}\"}} {}\n", route,
                        latency.sum_seconds);
    text += fmt::format("statefork_request_duration_seconds_count{{route=\"{}\"}} {}\n", route,
                        latency.count);
  }
  return text;
}

}  // namespace sf::service
