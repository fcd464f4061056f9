// ReserveFile: space on the catalog's file system that is set aside for changes that must not fail
// on a full disk. It is a file that is allocated and never read. Giving up a part of it makes room
// for a change; it is allocated again when the file system has room.
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <string>

namespace sf::store {

class ReserveFile {
 public:
  // Small file systems get a small one; `most` on all others.
  ReserveFile(std::string path, std::uint64_t most);

  // Allocates what is missing, if the file system has several times as much left.
  void fill();
  // Gives up all but `keep` bytes. True if there was something to give.
  bool release(std::uint64_t keep);
  std::uint64_t size() const { return size_; }  // when whole
  std::uint64_t held() const { return held_; }

 private:
  std::string path_;
  std::uint64_t size_ = 0;
  std::uint64_t held_ = 0;
};

// LogSpace: space that belongs to a log already, so that no other program can take it. The log is
// a file that grows and begins anew in its place. Best effort; not thread-safe.
class LogSpace {
 public:
  LogSpace(std::string path, std::uint64_t bytes) : path_(std::move(path)), bytes_(bytes) {}
  // Allocates the first bytes of the file, without changing its length. Requires: it exists.
  void hold() const;
  void extend(std::uint64_t more);

 private:
  std::string path_;
  std::uint64_t bytes_;
};

// A size for either on the file system that holds `path`: `most`, or a small part of all there is.
std::uint64_t bearable_reserve(const std::string& path, std::uint64_t most);

}  // namespace sf::store
