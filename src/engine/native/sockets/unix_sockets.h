// Sockets of the Unix family: pairs, listeners, connections within the tree, datagrams.
//
// Saved: type, name and the file it made, options, the other end, what is unread (peeked at, taken
// by nobody), halves that are shut, who wait to be accepted, and who made the other end
// (SO_PEERCRED). Brought back: init makes all of them (unix_restore.cc); what SO_PEERCRED tells is
// what the kernel saw then, so a call is made by a process with that pid and those ids, which ends
// at once. A socket's file gets a new inode number, as every bind() makes one. Declined:
// descriptors in a queue, urgent data, unread data with credentials, other ends outside of the
// tree.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "engine/native/async_root.h"
#include "engine/native/facts.h"
#include "engine/native/files/fd_locations.h"
#include "engine/native/image.h"
#include "engine/native/program/program_writer.h"

namespace sf::waypoint::native {

// By process, as the engine sees it, and descriptor.
using SocketMakers = std::map<std::pair<pid_t, int>, SocketMaker>;

// Asked in a process: only its own namespace has names for dead processes.
class MakerQuestions {
 public:
  static constexpr std::size_t kMost = 128;  // at once
  MakerQuestions(ProgramWriter& program, std::vector<int> numbers);
  void take(Arena& arena, pid_t pid, SocketMakers& makers) const;

 private:
  std::vector<int> numbers_;
  std::uint64_t answers_ = 0;
};
std::vector<int> unix_sockets_of(const ProcessFacts& process);

Result<SocketImage> capture_unix_socket(pid_t pid, const DescriptorFacts& fd,
                                        const SocketMakers& makers);

// Init's part: every one of them, at its place. `failure`: as in Program.
void open_unix_sockets(ProgramWriter& program, const TreeImage& tree, const FdLocations& locations,
                       const AsyncRoot& root, std::uint64_t failure);

}  // namespace sf::waypoint::native
