// Receiver of a descriptor's signals (F_SETOWN, F_SETSIG, O_ASYNC).
//
// Saved: the owner, a process or a process group of the tree, and the signal. Read only for
// sockets, terminals, inotify, and descriptors with O_ASYNC. Restored: by the first process that
// has the descriptor, once all processes exist. Declined: owners outside the tree, single threads.
#pragma once

#include <vector>

#include "engine/native/image.h"
#include "engine/native/program/program_writer.h"

namespace sf::waypoint::native {

struct ProcessFacts;

// `inner` is filled in by find_owners().
struct OwnerFacts {
  bool is_there = false;
  int type = 0;     // F_OWNER_...
  pid_t pid = 0;    // in the engine's PID namespace
  pid_t inner = 0;  // in the branch's; 0: not in the tree
  int signal = 0;
  bool operator==(const OwnerFacts&) const = default;
};
OwnerFacts read_owner(int fd);
// Pure. Finds the owners in the tree.
void find_owners(std::vector<ProcessFacts>& processes);

void bring_back_owners(ProgramWriter& program, const ProcessImage& process, const TreeImage& tree);

}  // namespace sf::waypoint::native
