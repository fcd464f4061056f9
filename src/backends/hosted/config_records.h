// ConfigRecords: the initial settings of each sandbox and state of a substrate, on disk. A record
// is written before its object is created, and removed after its object.
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
  // Requires: no other thread adds records meanwhile.
  Status keep_only(const std::set<std::string>& names) const;
  Result<bool> empty() const;
  // The engine that runs the sandboxes; kNotFound if none is recorded yet.
  Result<std::string> engine() const;
  Status put_engine(const std::string& engine) const;

 private:
  std::string path(const std::string& name) const;
  Result<std::set<std::string>> all() const;
  std::string directory_;
};

}  // namespace sf::backends
