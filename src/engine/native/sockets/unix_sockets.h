// Unix sockets: pairs, listeners, connections within the tree, datagrams.
//
// Saved: type, name and the file that bind() created, options, the other end, unread data (peeked,
// not consumed), shut down halves, unaccepted clients, and the maker of the other end
// (SO_PEERCRED). Restored: init creates all of them (unix_restore.cc). The kernel sets SO_PEERCRED
// from the process that makes the call, so a helper with that pid and those ids makes it and ends.
// A socket's file gets a new inode number, since bind() creates it. Declined: descriptors in a
// queue, urgent data, unread data with credentials, other ends outside the tree.
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

// By process, in the engine's PID namespace, and descriptor.
using SocketMakers = std::map<std::pair<pid_t, int>, SocketMaker>;

// Queries run in the process itself: only its own PID namespace has numbers for dead processes.
class MakerQuestions {
 public:
  static constexpr std::size_t kMost = 128;  // per program
  MakerQuestions(ProgramWriter& program, std::vector<int> numbers);
  void take(Arena& arena, pid_t pid, SocketMakers& makers) const;

 private:
  std::vector<int> numbers_;
  std::uint64_t answers_ = 0;
};
std::vector<int> unix_sockets_of(const ProcessFacts& process);

Result<SocketImage> capture_unix_socket(pid_t pid, const DescriptorFacts& fd,
                                        const SocketMakers& makers);

// Run by init: creates all Unix sockets at their locations. `failure`: as in Program.
void open_unix_sockets(ProgramWriter& program, const TreeImage& tree, const FdLocations& locations,
                       const AsyncRoot& root, std::uint64_t failure);

}  // namespace sf::waypoint::native
