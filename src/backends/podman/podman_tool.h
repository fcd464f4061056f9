// PodmanTool: runs podman. Its error output becomes an error with a hint. Thread-safe.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace sf::backends {

class PodmanTool {
 public:
  // Finds podman, and a CRIU that podman's runtime can use.
  static Result<PodmanTool> find(const std::string& config, const std::string& storage_config);

  // Makes podman start CRIU with this library preloaded, through a program named criu in
  // `directory`: the tools in between pass on only PATH.
  Status preload_into_criu(const std::string& library, const std::string& directory);

  // The output of the command. Use ask() for short commands, and run_whole() for a command that
  // must finish even if the daemon is killed.
  Result<std::string> run(std::vector<std::string> arguments) const;
  Result<std::string> run_whole(std::vector<std::string> arguments) const;
  Result<std::string> ask(std::vector<std::string> arguments) const;
  bool has_criu() const { return !criu_.empty(); }

 private:
  Result<std::string> run_until(Deadline deadline, std::vector<std::string> arguments,
                                bool outlives_caller = false) const;
  std::string program_;
  std::string criu_;  // empty: not found
  std::string path_;
  std::vector<std::string> env_;  // variables in addition to PATH
};

}  // namespace sf::backends
