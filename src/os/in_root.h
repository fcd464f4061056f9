// InRoot: accesses files below a directory, by the paths that a process with that directory as its
// root would use. Links are resolved within the root and never lead out of it, even if processes
// change them concurrently.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/fd.h"

namespace sf::os {

// Owner and mode for a file that is newly created.
struct NewFile {
  uid_t uid = 0;
  gid_t gid = 0;
  mode_t mode = 0644;
};

class InRoot {
 public:
  // `root` may be /proc/<pid>/root.
  static Result<InRoot> open(const std::string& root);

  // O_NOFOLLOW in `flags` applies to the last component of the path only.
  Result<UniqueFd> open_file(const std::string& path, int flags) const;
  // Like lstat(2): does not follow a link at the end.
  Result<struct stat> look(const std::string& path) const;
  Result<std::string> read_link(const std::string& path) const;
  Result<std::vector<std::string>> list(const std::string& path) const;
  bool has_attribute(const std::string& path, const std::string& name) const;

  // Fails with kInvalidArgument if the path is not a regular file, or is longer than `max_bytes`.
  Result<std::string> read(const std::string& path, std::size_t max_bytes) const;
  // Replaces or creates a file: readers see either the old or the new file. An existing file keeps
  // its mode and owner. If this fails, nothing has changed. Fails with kInvalidArgument or
  // kNotFound if the path cannot be written.
  Status replace(const std::string& path, std::string_view content, const NewFile& fresh) const;

 private:
  InRoot(UniqueFd root, bool is_own) : root_(std::move(root)), is_own_(is_own) {}
  Result<std::string> behind_links(const std::string& path) const;
  UniqueFd root_;
  bool is_own_;  // the caller's own root: no path can lead out of it
};

}  // namespace sf::os
