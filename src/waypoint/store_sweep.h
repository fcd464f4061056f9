// What a crash may leave in a store, and its removal: keepers nobody owns, their cgroups, live
// units without a keeper, sealed units without a checkpoint.
#pragma once

#include <set>
#include <string>

#include "base/result.h"
#include "waypoint/checkpoint_store.h"
#include "waypoint/unit_store.h"

namespace sf::waypoint {

// Pure: is this unit still needed?
bool unit_is_needed(const std::string& unit, const std::set<std::string>& live_keepers,
                    const std::set<std::string>& checkpoints);

// Ends all keepers and leaves what they have outside of themselves.
Status end_all_keepers(const std::string& store_dir);
// Ends every keeper of this store that is not in `wanted`, and removes what ended ones left.
Status sweep_keepers(const std::string& store_dir, const std::set<std::string>& wanted,
                     UnitStore& units);
Status sweep_units(UnitStore& units, const std::set<std::string>& live_keepers,
                   const CheckpointStore& checkpoints);

}  // namespace sf::waypoint
