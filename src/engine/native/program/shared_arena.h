// Memory that all processes of a new tree share during the restore: programs, stacks, and the words
// they wait at. It has the same address in all of them and overlaps no captured mapping.
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
