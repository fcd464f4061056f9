// ConfigRecords: with what configuration each sandbox and state of a substrate began, on disk.
// Records are written before what they are about, and removed after it.
#pragma once

#include <set>
#include <string>

#include "base/result.h"
#include "shell/branch_config.h"

namespace sf::backends {

class ConfigRecords {
 public:
  explicit ConfigRecords(std::string directory) : directory_(std::move(directory)) {}

  Status put(const std::string& name, const waypoint::BranchConfig& config) const;
  Result<waypoint::BranchConfig> get(const std::string& name) const;
  void remove(const std::string& name) const;
  // Requires: nobody puts anything meanwhile.
  Status keep_only(const std::set<std::string>& names) const;
  Result<bool> empty() const;
  // Which engine has the sandboxes; kNotFound when nobody has said so yet.
  Result<std::string> engine() const;
  Status put_engine(const std::string& engine) const;

 private:
  std::string path(const std::string& name) const;
  Result<std::set<std::string>> all() const;
  std::string directory_;
};

}  // namespace sf::backends
