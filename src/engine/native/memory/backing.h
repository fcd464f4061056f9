// Backing: where the content of a process's memory was last saved. It consists of pieces of the
// address space, each with its offset in a pages file. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace sf::waypoint::native {

class PagesFile;

struct PageRange {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t size() const { return end - start; }
  bool operator==(const PageRange&) const = default;
};

struct Piece {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::shared_ptr<const PagesFile> file;
  std::uint64_t offset = 0;

  std::uint64_t size() const { return end - start; }
  bool operator==(const Piece&) const = default;
};

class Backing {
 public:
  void put(Piece piece);
  void erase(PageRange range);
  // Moves the backing of [from, from + size) to [to, to + size).
  void move(std::uint64_t from, std::uint64_t to, std::uint64_t size);
  // In address order, cut to the range.
  std::vector<Piece> within(PageRange range) const;
  bool empty() const { return pieces_.empty(); }

 private:
  std::map<std::uint64_t, Piece> pieces_;  // by start; they do not overlap
};

// The part of `piece` in the range. Requires: they overlap.
Piece cut(const Piece& piece, PageRange range);

// The parts of `pieces` that are in none of `ranges`. Both are in address order.
std::vector<Piece> without(const std::vector<Piece>& pieces, const std::vector<PageRange>& ranges);

}  // namespace sf::waypoint::native
