// SnapshotChoice: decides the kind of a new node from the request, the facts and the policy. Pure.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "control/materialization_policy.h"

namespace sf::control {

struct SnapshotQuestion {
  bool backend_has_snapshots = true;
  bool storage_is_full = false;           // the session's own limit is reached
  bool replayable = true;                 // every entry since the parent can be replayed
  std::optional<std::string> must;        // why a replay cannot restore this state
  std::optional<Materialization> wanted;  // the user's request, if any
  SnapshotFacts facts;
};

struct SnapshotChoice {
  Materialization kind = Materialization::kVirtual;
  bool may_fall_back = false;  // if the capture fails, a proven virtual node may replace it
  std::string why;             // for people
  bool can_capture = true;     // if a virtual node cannot be proven, it may be captured instead
};

// A virtual node is chosen only if a replay is expected to restore this state. A reason against a
// replay overrides the policy and a request for a virtual node. kUnsupported: the state can be
// neither captured nor replayed, or not in the requested way. kNoSpace: only the full storage
// prevents a capture.
Result<SnapshotChoice> choose_snapshot(const SnapshotQuestion& question,
                                       const MaterializationPolicy& policy);

}  // namespace sf::control
