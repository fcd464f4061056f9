// A directory with a root file system as a tar archive, for tools that take no directories.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "os/fd.h"
#include "os/process.h"

namespace sf::backends {

// Changes when anything below the directory does: names, kinds, sizes, times.
Result<std::string> root_mark(const std::string& directory);

// Into a file.
Status pack_root(const std::string& directory, const std::string& archive);

class RootArchive {
 public:
  static Result<RootArchive> open(const std::string& directory);
  // The next bytes; nothing at the end. An archive that is not whole is an error.
  Result<std::optional<std::string>> next();

 private:
  RootArchive(os::Child tar, os::UniqueFd output)
      : tar_(std::move(tar)), output_(std::move(output)) {}
  os::Child tar_;
  os::UniqueFd output_;
};

}  // namespace sf::backends
