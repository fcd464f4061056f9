// Packs a directory with a root file system as a tar archive, for tools that do not accept
// directories.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "os/fd.h"
#include "os/process.h"

namespace sf::backends {

// Changes if the name, kind, size or time of any file below the directory changes.
Result<std::string> root_mark(const std::string& directory);

// Writes the archive to a file.
Status pack_root(const std::string& directory, const std::string& archive);

class RootArchive {
 public:
  static Result<RootArchive> open(const std::string& directory);
  // The next bytes; nullopt at the end. Fails if the archive is incomplete.
  Result<std::optional<std::string>> next();

 private:
  RootArchive(os::Child tar, os::UniqueFd output)
      : tar_(std::move(tar)), output_(std::move(output)) {}
  os::Child tar_;
  os::UniqueFd output_;
};

}  // namespace sf::backends
