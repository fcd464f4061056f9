#include "control/materialization_policy.h"

namespace sf::control {

std::string_view to_string(Materialization kind) {
  return kind == Materialization::kPhysical ? "physical" : "virtual";
}

std::optional<std::string> reason_to_materialize(const CommandLog& log) {
  for (const LogEntry& entry : log) {
    std::string what = "'" + describe(entry) + "' ";
    if (!is_replayable(entry)) return what + "cannot be replayed";
    if (entry.diverged_before) return what + "was seen to diverge when replayed";
    if (entry.timed_out) return what + "timed out";
    if (entry.left_background) return what + "left processes running";
  }
  return std::nullopt;
}

}  // namespace sf::control
