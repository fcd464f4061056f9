// Recovery: after a crash, compares the records of all sessions with the objects that a backend
// has. Pure: returns what to do and changes nothing.
#pragma once

#include <vector>

#include "control/backend.h"
#include "control/branch_tree.h"

namespace sf::control {

// Objects that no record names; the caller ends and removes them. They are left over from
// operations that were not acknowledged.
struct Orphans {
  std::vector<BranchHandle> branches;
  std::vector<PhysicalRef> physical;
};

// Requires: `sessions` are all sessions of the backend, and none is in the middle of an operation.
Orphans find_orphans(const std::vector<const BranchTree*>& sessions, const Inventory& inventory);

// The objects that the sessions' records name. Used if the backend cannot be asked now: then
// nothing is marked lost and nothing is an orphan.
Inventory as_recorded(const std::vector<const BranchTree*>& sessions);

// Edits for recorded objects that the backend does not have: branches are marked lost, nodes become
// virtual. Our own crashes never cause this, but a reboot or a deleted file does.
std::vector<Edit> missing_parts(const BranchTree& session, const Inventory& inventory);

}  // namespace sf::control
