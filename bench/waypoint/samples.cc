#include "samples.h"

#include <algorithm>
#include <cmath>

namespace sf::bench {
namespace {

constexpr std::array<std::string_view, kQuantities> kNames = {
    "snapshot_ms",      "snapshot_stopped_ms", "restore_ms",     "fork_1_ms",       "fork_4_ms",
    "exec_true_ms",     "plain_bash_true_ms",  "bare_dump_ms",   "bare_restore_ms", "ready_dump_ms",
    "ready_restore_ms", "idle_snapshot_ms",    "idle_restore_ms"};

}  // namespace

std::string_view name_of(Quantity quantity) { return kNames[static_cast<std::size_t>(quantity)]; }

void Samples::add(Quantity quantity, microseconds span) {
  values_[static_cast<std::size_t>(quantity)].push_back(static_cast<double>(span.count()) / 1000);
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double minimum(const std::vector<double>& values) {
  return values.empty() ? 0 : *std::min_element(values.begin(), values.end());
}

double percentile_90(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  auto rank = static_cast<std::size_t>(std::ceil(0.9 * static_cast<double>(values.size())));
  return values[rank - 1];
}

}  // namespace sf::bench
