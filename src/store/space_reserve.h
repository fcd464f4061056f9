// ReserveFile: reserved space on the catalog's file system for changes that must not fail on a full
// disk. It is a file that is allocated and never read. Releasing a part of it makes space for a
// change; the part is allocated again when the file system has space.
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <string>

namespace sf::store {

class ReserveFile {
 public:
  // The size is `most`, or less on a small file system.
  ReserveFile(std::string path, std::uint64_t most);

  // Allocates the missing part if several times as much space is free.
  void fill();
  // Releases all but `keep` bytes. Returns true if it released space.
  bool release(std::uint64_t keep);
  std::uint64_t size() const { return size_; }  // when fully allocated
  std::uint64_t held() const { return held_; }

 private:
  std::string path_;
  std::uint64_t size_ = 0;
  std::uint64_t held_ = 0;
};

// LogSpace: space that is already allocated to a log, so that no other program can use it. The log
// is a file that grows and is then overwritten from its beginning. Best effort; not thread-safe.
class LogSpace {
 public:
  LogSpace(std::string path, std::uint64_t bytes) : path_(std::move(path)), bytes_(bytes) {}
  // Allocates the first bytes of the file, without changing its length. Requires: the file exists.
  void hold() const;
  void extend(std::uint64_t more);

 private:
  std::string path_;
  std::uint64_t bytes_;
};

// The size of either on the file system that holds `path`: `most`, or a small part of the file
// system.
std::uint64_t bearable_reserve(const std::string& path, std::uint64_t most);

}  // namespace sf::store
