#include "engine/native/memory/backing.h"

#include <algorithm>
#include <iterator>

namespace sf::waypoint::native {

Piece cut(const Piece& piece, PageRange range) {
  Piece part = piece;
  part.start = std::max(piece.start, range.start);
  part.end = std::min(piece.end, range.end);
  part.offset = piece.offset + (part.start - piece.start);
  return part;
}

std::vector<Piece> without(const std::vector<Piece>& pieces, const std::vector<PageRange>& ranges) {
  std::vector<Piece> left;
  auto range = ranges.begin();
  for (const Piece& piece : pieces) {
    while (range != ranges.end() && range->end <= piece.start) ++range;
    std::uint64_t at = piece.start;
    for (auto next = range; next != ranges.end() && next->start < piece.end; ++next) {
      if (next->start > at) left.push_back(cut(piece, {at, next->start}));
      at = std::max(at, next->end);
    }
    if (at < piece.end) left.push_back(cut(piece, {at, piece.end}));
  }
  return left;
}

void Backing::erase(PageRange range) {
  auto at = pieces_.upper_bound(range.start);
  if (at != pieces_.begin() && std::prev(at)->second.end > range.start) --at;
  while (at != pieces_.end() && at->second.start < range.end) {
    Piece old = std::move(at->second);
    at = pieces_.erase(at);
    if (old.start < range.start) pieces_.emplace(old.start, cut(old, {old.start, range.start}));
    if (old.end > range.end) at = pieces_.emplace(range.end, cut(old, {range.end, old.end})).first;
  }
}

void Backing::put(Piece piece) {
  if (piece.start >= piece.end) return;
  erase({piece.start, piece.end});
  // Merges the piece with its predecessor if both are contiguous in memory and in the file.
  auto after = pieces_.lower_bound(piece.end);
  if (after != pieces_.begin()) {
    Piece& before = std::prev(after)->second;
    if (before.end == piece.start && before.file == piece.file &&
        before.offset + before.size() == piece.offset) {
      before.end = piece.end;
      return;
    }
  }
  std::uint64_t start = piece.start;
  pieces_.emplace(start, std::move(piece));
}

void Backing::move(std::uint64_t from, std::uint64_t to, std::uint64_t size) {
  std::vector<Piece> moved = within({from, from + size});
  erase({from, from + size});
  erase({to, to + size});
  for (Piece& piece : moved) {
    piece.start = piece.start - from + to;
    piece.end = piece.end - from + to;
    put(std::move(piece));
  }
}

std::vector<Piece> Backing::within(PageRange range) const {
  std::vector<Piece> found;
  auto at = pieces_.upper_bound(range.start);
  if (at != pieces_.begin() && std::prev(at)->second.end > range.start) --at;
  for (; at != pieces_.end() && at->second.start < range.end; ++at)
    found.push_back(cut(at->second, range));
  return found;
}

}  // namespace sf::waypoint::native
