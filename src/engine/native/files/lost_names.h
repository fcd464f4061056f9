// Files that are open, mapped or run, and have lost the name that this was done by: are others
// left?
//
// An overlay file tells the links of the file below it, which may be one of the base's that the
// branch can no longer see. Another name was made inside, so it lies in the branch's upper layer;
// or it is one of the base's own hard links: then the overlay keeps an index of the file, and the
// directory of the lost name is searched.
// What is found decides what is captured: a name, or, when there is none, the content (inodes.h).
// Declined: hard links of the base that lie elsewhere.
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
  };  // kOwn: it is only called "... (deleted)"
  Left left = Left::kNothing;
  std::string path;  // kAnother
  bool operator==(const LostName&) const = default;
};

// Where a branch's files lie, as the engine sees them; empty: not known.
struct UpperLayer {
  std::string files;
  std::string index;
};

// Pure. Whether both may be one file, seen through the overlay and below it.
bool may_be_same(const struct stat& seen, const struct stat& below);
// Pure. Why it cannot be captured; empty: it can.
std::string lost_name_trouble(const LostName& lost);
bool is_deleted(const std::string& link);
std::string without_mark(const std::string& link);
// Where the file behind a mapping can be opened.
std::string map_file(pid_t pid, const MappingText& mapping);

// Fills in what the facts of descriptors, mappings and programs say of it.
void find_other_names(std::vector<ProcessFacts>& processes, const UpperLayer& layer);

}  // namespace sf::waypoint::native
