// RootCache: prepared roots on disk, by digest; see docs/roots.md for the layout. A rename
// publishes a finished root. Any number of processes may use a cache at the same time: only one of
// them builds a given root. If it is killed, the next process removes the unfinished root.
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
  // Creates the directory if it is missing, and removes leftovers of killed processes.
  static Result<RootCache> open(const std::string& directory);

  // kNotFound if the cache does not have it.
  Result<RootRecord> find(const std::string& digest) const;
  // The directory that a session uses as its root. Requires: find() knows the digest.
  std::string root_directory(const std::string& digest) const;

  // Fills an empty directory with a root, and returns the record to keep with it.
  using Fill = std::function<Result<RootRecord>(const std::string& root)>;
  // The root with that digest. If there is none, `fill` makes it. Waits for another process that is
  // making the same root.
  Result<RootRecord> find_or_build(const std::string& digest, const Fill& fill,
                                   const Progress& progress);

  // Oldest first. Unreadable roots are omitted.
  Result<std::vector<RootRecord>> list() const;
  // Removes the root and its names. Requires: no session uses it.
  Status remove(const std::string& digest);

  Result<RootNames> names() const;
  Status set_name(const std::string& name, const std::string& digest);
  // The digest for a name, a digest or the beginning of one.
  Result<std::string> resolve(const std::string& word) const;

  const std::string& directory() const { return directory_; }
  // Held until the descriptor is closed. `name` is a digest's digits, or the name of one of our
  // files.
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
