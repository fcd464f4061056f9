// Engines: third-party tools, started by the tests with their own directories.
//
// The whole test program runs in its own mount and PID namespaces (see CMakeLists.txt), so no
// process and no mount of an engine can outlive it.
#pragma once

#include <string>
#include <vector>

#include "backends/backend_entry.h"
#include "base/result.h"
#include "os/process.h"
#include "testing/temp_dir.h"

namespace sf::test {

class Engines {
 public:
  Engines();
  ~Engines();
  Engines(const Engines&) = delete;
  Engines& operator=(const Engines&) = delete;

  // Starts the engine that the backend needs, at first use.
  Status prepare(const std::string& backend);
  backends::Tools tools() const;
  // The same settings for a separate daemon, as "KEY=value".
  std::vector<std::string> environment() const;
  // A small Debian root, for backends that cannot use the host's.
  static std::string root();

 private:
  Status start_docker();
  void unmount_podman_store() const;
  TempDir dir_;
  os::Child dockerd_;
};

}  // namespace sf::test
