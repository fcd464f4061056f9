// HostDirectory: the directory of the host that a run's files are brought to. What an agent has
// made decides about names here, so no link below the directory is ever followed: nothing outside
// of it is read, written or removed.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "explore/apply/apply_plan.h"
#include "os/fd.h"

namespace sf::explore {

class HostDirectory {
 public:
  // One that is not there has no files; write() needs one that is.
  static Result<HostDirectory> open(const std::string& path);

  // Paths are relative, as "src/main.c". What lies behind a link is not there.
  // kInvalidArgument: there is something that is neither a file nor a link.
  Result<MaybeFile> read(const std::string& path, std::size_t max_bytes) const;
  // What stands above the path and is no directory: the first one. Nothing: it could be written.
  Result<std::optional<std::string>> obstacle_above(const std::string& path) const;
  // Readers see the old or the new file. One that was there keeps its owner; others, and the
  // directories above them, belong to whom the directory does that they are made in.
  Status write(const std::string& path, const FileState& wanted) const;
  // Succeeds when there is none.
  Status remove(const std::string& path) const;

 private:
  explicit HostDirectory(os::UniqueFd top) : top_(std::move(top)) {}
  Result<os::UniqueFd> open_parent(const std::string& path) const;
  Result<os::UniqueFd> make_parent(const std::string& path) const;

  os::UniqueFd top_;
};

}  // namespace sf::explore
