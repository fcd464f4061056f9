// TempDir: a directory for one test, removed with its content by the destructor.
#pragma once

#include <string>

namespace sf::test {

class TempDir {
 public:
  // Creates the directory below $TMPDIR, else below /var/tmp, since /tmp may be a small tmpfs.
  // Aborts the program on failure.
  explicit TempDir(const std::string& prefix = "sf-test");
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir();

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace sf::test
