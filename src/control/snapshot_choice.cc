#include "control/snapshot_choice.h"

namespace sf::control {

Result<SnapshotChoice> choose_snapshot(const SnapshotQuestion& q,
                                       const MaterializationPolicy& policy) {
  const bool can_capture = q.backend_has_snapshots && !q.storage_is_full;
  auto no_capture = [&q]() -> Error {
    if (q.backend_has_snapshots)
      return fail(ErrorCode::kNoSpace, "the session's physical snapshots reached their size limit",
                  "clean up nodes that are no longer needed");
    return fail(ErrorCode::kUnsupported, "this backend has no physical snapshots",
                "use a backend that has them");
  };
  if (q.wanted == Materialization::kPhysical) {
    if (!can_capture) return no_capture();
    return SnapshotChoice{Materialization::kPhysical, false, "asked for"};
  }
  if (!q.replayable && (!can_capture || q.wanted == Materialization::kVirtual)) {
    std::string why = "a virtual node cannot restore this state: " + q.must.value_or("no replay");
    if (!can_capture) return no_capture().while_doing(why);
    return fail(ErrorCode::kUnsupported, why, "take a physical snapshot");
  }
  if (q.must && can_capture) return SnapshotChoice{Materialization::kPhysical, false, *q.must};
  if (q.must && q.backend_has_snapshots) return no_capture().while_doing(*q.must);
  if (q.wanted == Materialization::kVirtual)
    return SnapshotChoice{Materialization::kVirtual, false, "asked for", can_capture};
  const bool is_repeatable = !q.facts.draws_by_chance;
  if (!can_capture && q.backend_has_snapshots && !is_repeatable)
    return no_capture().while_doing("its commands use random values or the clock");
  if (!can_capture)
    return SnapshotChoice{Materialization::kVirtual, false, no_capture().message, can_capture};
  if (!is_repeatable)
    return SnapshotChoice{Materialization::kPhysical, false,
                          "its commands use random values or the clock"};

  return SnapshotChoice{policy.decide(q.facts), q.replayable && is_repeatable,
                        "policy " + policy.name()};
}

}  // namespace sf::control
