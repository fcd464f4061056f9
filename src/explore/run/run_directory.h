// RunDirectory: what a run leaves on disk. run.json says what was asked for, journal.jsonl has each
// change of the tree as it happened; the rest is made from these in the end. One process at a time.
#pragma once

#include <string>

#include "base/result.h"
#include "explore/run/run_plan.h"
#include "explore/search_tree.h"
#include "os/fd.h"

namespace sf::explore {

class RunDirectory {
 public:
  // kInvalidArgument: there is something already.
  static Result<RunDirectory> create(const std::string& path);
  // kNotFound: it is no run's. kBusy: another process works on it.
  static Result<RunDirectory> open(const std::string& path);

  const std::string& path() const { return path_; }
  Status save_plan(const RunPlan& plan) const;
  Result<RunPlan> plan() const;

  // Durable when it returns.
  Status append(const std::string& line);
  // What the journal says; nothing: it has not begun. Cuts off a last line that was not finished.
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

// The tree and the plan of a run that nobody has to hold for it.
Result<RunPlan> read_plan(const std::string& directory);
Result<SearchTree> read_tree(const std::string& directory);

}  // namespace sf::explore
