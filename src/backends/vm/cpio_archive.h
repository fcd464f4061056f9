// An initial RAM disk for Linux: a cpio archive in "newc" format. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sf::backends {

class CpioArchive {
 public:
  void add_directory(const std::string& path) { add(path, 040755, {}); }
  void add_program(const std::string& path, std::string_view content) {
    add(path, 0100755, content);
  }
  // Returns the complete archive. Requires: nothing is added afterwards.
  std::string finish() &&;

 private:
  void add(const std::string& path, std::uint32_t mode, std::string_view content);
  void pad();
  std::string bytes_;
  std::uint32_t next_inode_ = 1;
};

}  // namespace sf::backends
