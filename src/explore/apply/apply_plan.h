// What bringing a run's files to the host would do to each of them. Pure.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace sf::explore {

struct FileState {
  std::string content;  // of a link: where it points
  mode_t mode = 0644;   // permissions alone
  bool is_link = false;
  friend bool operator==(const FileState&, const FileState&) = default;
};
using MaybeFile = std::optional<FileState>;  // nothing: there is none

enum class ApplyKind { kNothing, kWrite, kRemove, kConflict };

struct ApplyStep {
  std::string path;  // below the directory
  MaybeFile before;  // as the task began
  MaybeFile wanted;
  MaybeFile host;
  ApplyKind kind = ApplyKind::kNothing;
  std::string why;  // of a conflict
};

// The host's file may be changed when it is as it was when the task began; when it is as wanted,
// there is nothing to do; otherwise somebody else has changed it.
ApplyStep decide(std::string path, MaybeFile before, MaybeFile wanted, MaybeFile host);

// Do the patterns (as a shell has them; * also matches slashes) say that it is wanted? None: all
// are. `!` before one leaves out what it matches.
bool is_selected(const std::string& path, const std::vector<std::string>& patterns);

}  // namespace sf::explore
