// The state that a test puts into a branch and checks later: one word, kept in a shell variable, in
// a file, in the memory of a background process that answers through pipes and, after
// start_heavy(), in every page of a heavy process.
#pragma once

#include <string>

#include "base/result.h"
#include "waypoint/waypoint.h"

namespace sf::faults {

// Starts a process with 24 MB, threads and a TCP connection, and a stopped job. After this call
// put_word() also writes the word to every page of that process, and word_in() sends it through the
// connection.
Status start_heavy(waypoint::Waypoint& manager, const waypoint::BranchId& branch);

Status put_word(waypoint::Waypoint& manager, const waypoint::BranchId& branch,
                const std::string& word);

// Returns the word if all places agree; otherwise the word of each place.
Result<std::string> word_in(waypoint::Waypoint& manager, const waypoint::BranchId& branch);

// Returns the word in a fork of the checkpoint, and ends the fork.
Result<std::string> word_at(waypoint::Waypoint& manager, const waypoint::CheckpointId& checkpoint);

}  // namespace sf::faults
