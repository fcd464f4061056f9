// Engines: the tools of others, started by the tests themselves with directories of their own.
//
// The whole test program runs in its own mount and PID namespaces (see CMakeLists.txt): whatever
// happens, no process and no mount of an engine outlives it.
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

  // Starts what the backend needs, when it is first needed.
  Status prepare(const std::string& backend);
  backends::Tools tools() const;
  // The same for a daemon of its own; "KEY=value".
  std::vector<std::string> environment() const;
  // A small Debian root, for backends that cannot have the host's.
  static std::string root();

 private:
  Status start_docker();
  void unmount_podman_store() const;
  TempDir dir_;
  os::Child dockerd_;
};

}  // namespace sf::test
