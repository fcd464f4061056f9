#include "samples.h"

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

}  // namespace sf::bench
