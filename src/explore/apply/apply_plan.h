// Decides what applying the files of a run would do to each file of the host. Pure.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace sf::explore {

struct FileState {
  std::string content;  // of a link: its target
  mode_t mode = 0644;   // permission bits only
  bool is_link = false;
  friend bool operator==(const FileState&, const FileState&) = default;
};
using MaybeFile = std::optional<FileState>;  // nullopt: the file does not exist

enum class ApplyKind { kNothing, kWrite, kRemove, kConflict };

struct ApplyStep {
  std::string path;  // below the directory
  MaybeFile before;  // when the task began
  MaybeFile wanted;
  MaybeFile host;
  ApplyKind kind = ApplyKind::kNothing;
  std::string why;  // the reason for a conflict
};

// If the host's file has the wanted state, nothing is done. If its content is that of `before` or
// `wanted`, it may be changed. Otherwise it was changed on the host: a conflict.
ApplyStep decide(std::string path, MaybeFile before, MaybeFile wanted, MaybeFile host);

// True if the path matches one of the shell patterns, in which * also matches slashes. A pattern
// that begins with `!` excludes its matches. Without other patterns, all paths are selected.
bool is_selected(const std::string& path, const std::vector<std::string>& patterns);

}  // namespace sf::explore
