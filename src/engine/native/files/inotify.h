// inotify descriptors with nothing unread.
//
// Saved: watches with their numbers, masks and paths. The kernel tells the inode of a watch, not
// its path: paths that processes of the tree have open are tried first, then the root is searched,
// up to a bound. Brought back: by the first process that has the descriptor; what the restore
// itself did to watched files is read away before anybody goes on. Declined: unread events, watches
// that fire once or whose path is not found.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/native/image.h"
#include "engine/native/program/program_writer.h"

namespace sf::waypoint::native {

struct ProcessFacts;

struct WatchFacts {
  int number = 0;
  std::uint32_t mask = 0;
  std::uint64_t inode = 0;
  std::uint64_t device = 0;  // as the kernel writes it
  std::string path;          // empty: not found
  bool operator==(const WatchFacts&) const = default;
};
struct InotifyFacts {
  bool is_one = false;
  bool has_events = false;
  std::vector<WatchFacts> watches;
  bool operator==(const InotifyFacts&) const = default;
};

// Pure. From fdinfo; nothing: it is not understood.
std::optional<std::vector<WatchFacts>> parse_watches(std::string_view info);
// `copy`: a copy of the descriptor.
InotifyFacts read_inotify(std::string_view info, int copy);
// Finds the paths. Reading directories is an event, too: what this makes is read away.
Status find_watched(std::vector<ProcessFacts>& processes);
// Pure. Why it cannot be captured; empty: it can.
std::string inotify_trouble(const InotifyFacts& facts);

void add_watches(ProgramWriter& program, const ProcessImage& process, const TreeImage& tree);
// `numbers`: pids as the engine sees them, by those of the branch. Requires: all processes stand.
Status forget_own_events(const TreeImage& tree, const std::map<pid_t, pid_t>& numbers);

}  // namespace sf::waypoint::native
