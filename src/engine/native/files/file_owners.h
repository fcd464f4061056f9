// Whom a descriptor sends signals (F_SETOWN, F_SETSIG, O_ASYNC).
//
// Saved: the owner, a process or a group of the tree, and the signal. Brought back: by the first
// process that has the descriptor, when everybody is born. Looked for in sockets, and where O_ASYNC
// is set. Declined: owners outside of the tree, single threads.
#pragma once

#include <vector>

#include "engine/native/image.h"
#include "engine/native/program/program_writer.h"

namespace sf::waypoint::native {

struct ProcessFacts;

// `inner` is not known yet.
struct OwnerFacts {
  bool is_there = false;
  int type = 0;     // F_OWNER_...
  pid_t pid = 0;    // as the engine sees it
  pid_t inner = 0;  // as the branch does; 0: nobody of the tree
  int signal = 0;
  bool operator==(const OwnerFacts&) const = default;
};
OwnerFacts read_owner(int fd);
// Pure. Finds out who that is in the tree.
void find_owners(std::vector<ProcessFacts>& processes);

void bring_back_owners(ProgramWriter& program, const ProcessImage& process, const TreeImage& tree);

}  // namespace sf::waypoint::native
