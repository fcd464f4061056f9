// Memory that a whole new tree shares while it is made: its programs, their stacks, the words they
// wait at. It lies at one address in all of them, where nothing captured does.
#pragma once

#include <optional>

#include "base/result.h"
#include "engine/native/image.h"
#include "engine/native/program/program_writer.h"

namespace sf::waypoint::native {

class SharedArena {
 public:
  static Result<SharedArena> map(const TreeImage& tree);
  SharedArena(SharedArena&& other) noexcept
      : arena_(other.arena_), start_(std::exchange(other.start_, 0)), size_(other.size_) {}
  SharedArena& operator=(SharedArena&&) = delete;
  ~SharedArena();

  Arena& arena() { return arena_; }
  std::uint64_t start() const { return start_; }
  std::uint64_t size() const { return size_; }

 private:
  SharedArena(Arena arena, std::uint64_t start, std::uint64_t size)
      : arena_(arena), start_(start), size_(size) {}
  Arena arena_;
  std::uint64_t start_;
  std::uint64_t size_;
};

}  // namespace sf::waypoint::native
