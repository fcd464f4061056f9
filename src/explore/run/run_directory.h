// RunDirectory: the files of a run. run.json has the options, journal.jsonl each change of the
// tree. All other files are made from these two when the run ends. Used by one process at a time.
#pragma once

#include <string>

#include "base/result.h"
#include "explore/run/run_plan.h"
#include "explore/search_tree.h"
#include "os/fd.h"

namespace sf::explore {

class RunDirectory {
 public:
  // kInvalidArgument: the directory already contains a run.
  static Result<RunDirectory> create(const std::string& path);
  // kNotFound: it is not the directory of a run. kBusy: another process uses it.
  static Result<RunDirectory> open(const std::string& path);

  const std::string& path() const { return path_; }
  Status save_plan(const RunPlan& plan) const;
  Result<RunPlan> plan() const;

  // The line is on disk when the call returns.
  Status append(const std::string& line);
  // The tree of the journal; nullopt if the journal has not begun. Removes an incomplete last line.
  Result<std::optional<SearchTree>> tree();
  Status save(const std::string& name, const std::string& content) const;
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  RunDirectory(std::string path, os::UniqueFd lock)
      : path_(std::move(path)), lock_(std::move(lock)) {}
  static Result<RunDirectory> lock(const std::string& path);

  std::string path_;
  os::UniqueFd lock_;
  os::UniqueFd journal_;
};

// Read-only access without the lock.
Result<RunPlan> read_plan(const std::string& directory);
Result<SearchTree> read_tree(const std::string& directory);

}  // namespace sf::explore
