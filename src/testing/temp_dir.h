// TempDir: a directory of its own for one test, removed with everything in it.
#pragma once

#include <string>

namespace sf::test {

class TempDir {
 public:
  // Made below $TMPDIR, else below /var/tmp: /tmp may be a small tmpfs. Ends the program when it
  // cannot.
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
