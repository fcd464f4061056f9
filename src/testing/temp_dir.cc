#include "testing/temp_dir.h"

#include <gtest/gtest.h>
#include <stdlib.h>  // NOLINT: mkdtemp is POSIX, not in <cstdlib>

#include <cstdlib>

#include "base/check.h"
#include "os/directory_tree.h"

namespace sf::test {

TempDir::TempDir(const std::string& prefix) {
  const char* base = std::getenv("TMPDIR");
  path_ =
      std::string(base != nullptr && *base != '\0' ? base : "/var/tmp") + "/" + prefix + ".XXXXXX";
  SF_CHECK(::mkdtemp(path_.data()) != nullptr);
}

TempDir::~TempDir() {
  Status removed = os::remove_tree(path_);
  if (!removed.ok()) ADD_FAILURE() << "removing " << path_ << ": " << removed.error().describe();
}

}  // namespace sf::test
