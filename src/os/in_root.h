// InRoot: files below a directory, by the paths that a process with that directory as its root
// would use. Links lead where they would lead there, never out of it, whoever changes them
// meanwhile.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/fd.h"

namespace sf::os {

// Owner and mode of a file that was not there before.
struct NewFile {
  uid_t uid = 0;
  gid_t gid = 0;
  mode_t mode = 0644;
};

class InRoot {
 public:
  // `root` may be /proc/<pid>/root.
  static Result<InRoot> open(const std::string& root);

  // O_NOFOLLOW in `flags` holds for the last part of the path only.
  Result<UniqueFd> open_file(const std::string& path, int flags) const;
  // Of the thing itself, not of what a link points to.
  Result<struct stat> look(const std::string& path) const;
  Result<std::string> read_link(const std::string& path) const;
  Result<std::vector<std::string>> list(const std::string& path) const;
  bool has_attribute(const std::string& path, const std::string& name) const;

  // Regular files only. kInvalidArgument when it is something else, or longer than `max_bytes`.
  Result<std::string> read(const std::string& path, std::size_t max_bytes) const;
  // Readers see the old or the new file, never half of one; one that was there keeps its mode and
  // owner. Nothing has changed when this fails; a path that cannot be written is kInvalidArgument
  // or kNotFound.
  Status replace(const std::string& path, std::string_view content, const NewFile& fresh) const;

 private:
  InRoot(UniqueFd root, bool is_own) : root_(std::move(root)), is_own_(is_own) {}
  Result<std::string> behind_links(const std::string& path) const;
  UniqueFd root_;
  bool is_own_;  // the caller's own root: no path leads out of it anyway
};

}  // namespace sf::os
