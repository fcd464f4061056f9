// HostDirectory: the directory of the host to which a run's files are applied. The file names come
// from the agent and are not trusted: no link below the directory is followed, so nothing outside
// is read, written or removed.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "explore/apply/apply_plan.h"
#include "os/fd.h"

namespace sf::explore {

class HostDirectory {
 public:
  // A directory that does not exist has no files. write() requires that it exists.
  static Result<HostDirectory> open(const std::string& path);

  // Paths are relative, for example "src/main.c". A path that passes through a link counts as
  // absent. kInvalidArgument: the path is neither a regular file nor a link.
  Result<MaybeFile> read(const std::string& path, std::size_t max_bytes) const;
  // The first component above the path that exists and is not a directory; nullopt if there is
  // none.
  Result<std::optional<std::string>> obstacle_above(const std::string& path) const;
  // Atomic: readers see either the old or the new file. An existing file keeps its owner. New files
  // and directories get the owner of their parent directory.
  Status write(const std::string& path, const FileState& wanted) const;
  // Succeeds if the file does not exist.
  Status remove(const std::string& path) const;

 private:
  explicit HostDirectory(os::UniqueFd top) : top_(std::move(top)) {}
  Result<os::UniqueFd> open_parent(const std::string& path) const;
  Result<os::UniqueFd> make_parent(const std::string& path) const;

  os::UniqueFd top_;
};

}  // namespace sf::explore
