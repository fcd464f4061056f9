// RootCache: prepared roots on disk, by digest; see docs/roots.md for the layout. A root exists
// from one rename on. Any number of processes may use a cache at once: each root is built by one of
// them, and what a killed one left half made is removed by the next.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/fd.h"
#include "roots/progress.h"
#include "roots/root_names.h"
#include "roots/root_record.h"

namespace sf::roots {

class RootCache {
 public:
  // Makes the directory when it is missing, and removes what killed processes left.
  static Result<RootCache> open(const std::string& directory);

  // kNotFound: there is none.
  Result<RootRecord> find(const std::string& digest) const;
  // The directory that a session takes as its root. Requires: a digest that find() knows.
  std::string root_directory(const std::string& digest) const;

  // Fills an empty directory with a root, and says what is to be kept with it.
  using Fill = std::function<Result<RootRecord>(const std::string& root)>;
  // The root with that digest; when there is none, `fill` makes it. Waits for another process that
  // is making the same one.
  Result<RootRecord> find_or_build(const std::string& digest, const Fill& fill,
                                   const Progress& progress);

  // The oldest first. What cannot be read is left out.
  Result<std::vector<RootRecord>> list() const;
  // The root and its names. Requires: no session has it.
  Status remove(const std::string& digest);

  Result<RootNames> names() const;
  Status set_name(const std::string& name, const std::string& digest);
  // By name, digest or the beginning of one.
  Result<std::string> resolve(const std::string& word) const;

  const std::string& directory() const { return directory_; }
  // Held until the descriptor is closed. `name` is a digest's digits, or that of a file of ours.
  Result<os::UniqueFd> lock(const std::string& name, const Progress& progress = {}) const;

 private:
  explicit RootCache(std::string directory) : directory_(std::move(directory)) {}
  std::string draft_path(const std::string& name) const { return directory_ + "/drafts/" + name; }
  Status sweep() const;
  Status edit_names(const std::function<void(RootNames&)>& edit) const;
  Result<RootRecord> build(const std::string& digits, const Fill& fill) const;
  std::string directory_;
};

}  // namespace sf::roots
