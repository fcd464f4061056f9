// What a crash may leave in a store, and its removal: keepers nobody owns, their cgroups, live
// units without a keeper, sealed units without a checkpoint.
#pragma once

#include <map>
#include <set>
#include <string>

#include "base/result.h"
#include "waypoint/checkpoint_store.h"
#include "waypoint/unit_store.h"

namespace sf::waypoint {

// Pure: is this unit still needed?
bool unit_is_needed(const std::string& unit, const std::set<std::string>& live_keepers,
                    const std::set<std::string>& checkpoints);

// A capture made ahead of time becomes a checkpoint's by renaming its unit. btrfs writes that down
// within seconds, and a file system that failed before is mounted as it was then. The next capture
// of that keeper would have written it down, so that the unit found under the old name is the
// checkpoint's. Pure: which units get which name again.
using UnitRenames = std::map<std::string, std::string>;  // from, to
UnitRenames undone_renames(const std::set<std::string>& units,
                           const std::map<CheckpointId, std::string>& captured_ahead);
// Requires: nothing was swept since the units were opened.
Status redo_renames(UnitStore& units, const CheckpointStore& checkpoints);

// Ends all keepers and leaves what they have outside of themselves.
Status end_all_keepers(const std::string& store_dir);
// Ends every keeper of this store that is not in `wanted`, and removes what ended ones left.
Status sweep_keepers(const std::string& store_dir, const std::set<std::string>& wanted,
                     UnitStore& units);
Status sweep_units(UnitStore& units, const std::set<std::string>& live_keepers,
                   const CheckpointStore& checkpoints);

}  // namespace sf::waypoint
