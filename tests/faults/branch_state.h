// What a test puts into a branch and looks for later: one word, kept in a shell variable, in a
// file, in the memory of a background process that has to answer through its pipes and, if there is
// one, all over that of a heavy one.
#pragma once

#include <string>

#include "base/result.h"
#include "waypoint/waypoint.h"

namespace sf::faults {

// Starts a process with 24 MB, threads and a TCP connection, and a job that is stopped. From now on
// the word is written into every page of it and travels through the connection when it is looked
// for.
Status start_heavy(waypoint::Waypoint& manager, const waypoint::BranchId& branch);

Status put_word(waypoint::Waypoint& manager, const waypoint::BranchId& branch,
                const std::string& word);

// The word when all places agree; otherwise what was seen there.
Result<std::string> word_in(waypoint::Waypoint& manager, const waypoint::BranchId& branch);

// The word found in a fork of the checkpoint; the fork is ended again.
Result<std::string> word_at(waypoint::Waypoint& manager, const waypoint::CheckpointId& checkpoint);

}  // namespace sf::faults
