// Recovery: after a crash, the records of all sessions and what a backend really has are compared.
// Pure: says what to do, does nothing.
#pragma once

#include <vector>

#include "control/backend.h"
#include "control/branch_tree.h"

namespace sf::control {

// What no record names. To be ended and removed: it is the half of an operation that nobody
// acknowledged.
struct Orphans {
  std::vector<BranchHandle> branches;
  std::vector<PhysicalRef> physical;
};

// Requires: `sessions` are all sessions of the backend, and none is in the middle of an operation.
Orphans find_orphans(const std::vector<const BranchTree*>& sessions, const Inventory& inventory);

// What the sessions' records name. For a backend that cannot be asked now: nothing is taken for
// lost, and nothing for an orphan.
Inventory as_recorded(const std::vector<const BranchTree*>& sessions);

// What a session's records name and the backend does not have. Never the work of a crash of ours,
// but hosts reboot and people delete files: branches are marked lost, nodes become virtual.
std::vector<Edit> missing_parts(const BranchTree& session, const Inventory& inventory);

}  // namespace sf::control
