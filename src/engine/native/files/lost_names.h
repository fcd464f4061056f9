// Finds other names of files that are open, mapped or run, after the name used for it was removed.
//
// The link count of an overlay file is that of the file below it, which may be a file of the base
// that the branch can no longer see. A name that the branch made is in the branch's upper layer. If
// the base itself has several hard links to the file, the overlay keeps an index of it, and the
// directory of the lost name is searched. The capture saves another name, or the content if there
// is none (inodes.h).
// Declined: hard links of the base in other directories.
#pragma once

#include <sys/stat.h>

#include <string>
#include <vector>

namespace sf::waypoint::native {

struct ProcessFacts;
struct MappingText;

struct LostName {
  enum class Left {
    kNothing,
    kOwn,
    kAnother,
    kUnknown
  };  // kOwn: its real name ends in " (deleted)"
  Left left = Left::kNothing;
  std::string path;  // kAnother
  bool operator==(const LostName&) const = default;
};

// Where a branch's files are, as paths of the engine. Empty: unknown.
struct UpperLayer {
  std::string files;
  std::string index;
};

// Pure. True if `seen` through the overlay and `below` it may be the same file.
bool may_be_same(const struct stat& seen, const struct stat& below);
// Pure. Why it cannot be captured; empty: it can.
std::string lost_name_trouble(const LostName& lost);
bool is_deleted(const std::string& link);
std::string without_mark(const std::string& link);
// The path in /proc that opens the file behind a mapping.
std::string map_file(pid_t pid, const MappingText& mapping);

// Sets the lost names in the facts of descriptors, mappings and programs.
void find_other_names(std::vector<ProcessFacts>& processes, const UpperLayer& layer);

}  // namespace sf::waypoint::native
