// inotify descriptors without unread events.
//
// Saved: watches with their numbers, masks and paths. The kernel shows the inode of a watch, not
// its path. The engine first tries paths that processes of the tree have open, then searches the
// root up to a limit. Restored: by the first process that has the descriptor. Events that the
// restore itself caused are discarded before the tree resumes. Declined: unread events, one-shot
// watches, watches without a known path.
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
  std::uint64_t device = 0;  // in the kernel's encoding
  std::string path;          // empty: not found
  bool operator==(const WatchFacts&) const = default;
};
struct InotifyFacts {
  bool is_one = false;
  bool has_events = false;
  std::vector<WatchFacts> watches;
  bool operator==(const InotifyFacts&) const = default;
};

// Pure. Parses fdinfo. Nothing: unknown format.
std::optional<std::vector<WatchFacts>> parse_watches(std::string_view info);
// `copy`: a copy of the descriptor.
InotifyFacts read_inotify(std::string_view info, int copy);
// Finds the paths. Discards the events that its own directory reads cause.
Status find_watched(std::vector<ProcessFacts>& processes);
// Pure. Why it cannot be captured; empty: it can.
std::string inotify_trouble(const InotifyFacts& facts);

void add_watches(ProgramWriter& program, const ProcessImage& process, const TreeImage& tree);
// `numbers`: pids in the engine's namespace, by pid in the branch. Requires: all processes are
// stopped.
Status forget_own_events(const TreeImage& tree, const std::map<pid_t, pid_t>& numbers);

}  // namespace sf::waypoint::native
