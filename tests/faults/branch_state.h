// What a test puts into a branch and looks for later: one word, kept in a shell variable, in a file
// and in the memory of a background process that has to answer through its pipes.
#pragma once

#include <string>

#include "base/result.h"
#include "waypoint/waypoint.h"

namespace sf::faults {

Status put_word(waypoint::Waypoint& manager, const waypoint::BranchId& branch,
                const std::string& word);

// The word when all three places agree; otherwise what was seen there.
Result<std::string> word_in(waypoint::Waypoint& manager, const waypoint::BranchId& branch);

// The word found in a fork of the checkpoint; the fork is ended again.
Result<std::string> word_at(waypoint::Waypoint& manager, const waypoint::CheckpointId& checkpoint);

}  // namespace sf::faults
