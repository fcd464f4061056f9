// SnapshotChoice: what a new node shall be, from everything that has a say in it. Pure.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "control/materialization_policy.h"

namespace sf::control {

struct SnapshotQuestion {
  bool backend_has_snapshots = true;
  bool storage_is_full = false;           // by the session's own limit
  bool replayable = true;                 // everything since the parent can be done again
  std::optional<std::string> must;        // why replay is known to be no way back here
  std::optional<Materialization> wanted;  // what the user said, if anything
  SnapshotFacts facts;
};

struct SnapshotChoice {
  Materialization kind = Materialization::kVirtual;
  bool may_fall_back = false;  // if it cannot be captured, a virtual node will do, once proven
  std::string why;             // for people
  bool can_capture = true;     // whether a virtual node that cannot be proven may be captured
};

// A virtual node is chosen only if replay is believed to lead back here. A reason against it
// overrules the policy, and the user's wish for a virtual node, too.
// kUnsupported: neither way leads back to this state, or the wanted one does not. kNoSpace: only
// the full storage is in the way.
Result<SnapshotChoice> choose_snapshot(const SnapshotQuestion& question,
                                       const MaterializationPolicy& policy);

}  // namespace sf::control
