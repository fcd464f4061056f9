// PodmanTool: the podman program. What it prints when it fails becomes an error that says what to
// do. Thread-safe.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace sf::backends {

class PodmanTool {
 public:
  // Looks for podman, and for a CRIU that podman's runtime can use.
  static Result<PodmanTool> find(const std::string& config, const std::string& storage_config);

  // CRIU is started with this library in it, by a program of its name in `directory`: the tools
  // between us and it pass on nothing but PATH.
  Status preload_into_criu(const std::string& library, const std::string& directory);

  // What it printed. ask() is for what has to be answered soon, run_whole() for what must not stop
  // half-way when the daemon is killed.
  Result<std::string> run(std::vector<std::string> arguments) const;
  Result<std::string> run_whole(std::vector<std::string> arguments) const;
  Result<std::string> ask(std::vector<std::string> arguments) const;
  bool has_criu() const { return !criu_.empty(); }

 private:
  Result<std::string> run_until(Deadline deadline, std::vector<std::string> arguments,
                                bool outlives_caller = false) const;
  std::string program_;
  std::string criu_;  // empty: there is none
  std::string path_;
  std::vector<std::string> env_;  // beside that
};

}  // namespace sf::backends
