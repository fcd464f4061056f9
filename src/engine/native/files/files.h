// Open files: descriptors, and the descriptions that several of them may share.
//
// Saved: for each description its path, flags and offset; what has no path has an inode (inodes.h).
// Two descriptors are of one description when kcmp says so. Brought back: init opens every
// description once, before anybody else is born; all inherit them and take what is theirs. Declined
// (classify.h): files of a process in /proc, devices with a state.
#pragma once

#include "base/result.h"
#include "engine/native/facts.h"
#include "engine/native/files/fd_locations.h"
#include "engine/native/files/inodes.h"
#include "engine/native/image.h"
#include "engine/native/program/program_writer.h"
#include "engine/native/sockets/unix_sockets.h"

namespace sf::waypoint::native {

// Requires: `tree.processes` are those of the facts, in their order.
Status capture_files(const TreeFacts& facts, TreeImage& tree, InodeCapture& inodes,
                     const SocketMakers& makers);

// Above `taken`, too.
FdLocations choose_locations(const TreeImage& tree, int taken);

// Init's part. Requires: everything below places.pages is closed. `failure`: as in Program.
void open_files(ProgramWriter& program, const TreeImage& tree, const FdLocations& locations,
                const AsyncRoot& root, std::uint64_t failure);
void take_descriptors(ProgramWriter& program, const ProcessImage& process, const TreeImage& tree,
                      const FdLocations& locations);

}  // namespace sf::waypoint::native
