// Open files: descriptors, and the open file descriptions that several descriptors may share.
//
// Saved: path, flags and offset of each description; a file without a path has an inode (inodes.h).
// kcmp() shows which descriptors share a description. Restored: init opens every description once,
// before it forks; each process inherits all of them and moves its own into place. Declined
// (classify.h): files of a process in /proc, devices with state.
#pragma once

#include "base/result.h"
#include "engine/native/facts.h"
#include "engine/native/files/fd_locations.h"
#include "engine/native/files/inodes.h"
#include "engine/native/image.h"
#include "engine/native/program/program_writer.h"
#include "engine/native/sockets/unix_sockets.h"

namespace sf::waypoint::native {

// Requires: `tree.processes` are the processes of the facts, in the same order.
Status capture_files(const TreeFacts& facts, TreeImage& tree, InodeCapture& inodes,
                     const SocketMakers& makers);

// The locations are above `taken` too.
FdLocations choose_locations(const TreeImage& tree, int taken);

// Run by init. Requires: everything below locations.pages is closed. `failure`: as in Program.
void open_files(ProgramWriter& program, const TreeImage& tree, const FdLocations& locations,
                const AsyncRoot& root, std::uint64_t failure);
void take_descriptors(ProgramWriter& program, const ProcessImage& process, const TreeImage& tree,
                      const FdLocations& locations);

}  // namespace sf::waypoint::native
