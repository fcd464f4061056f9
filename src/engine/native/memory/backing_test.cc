#include "engine/native/memory/backing.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "engine/native/memory/pages_file.h"

namespace sf::waypoint::native {
namespace {

using File = std::shared_ptr<const PagesFile>;

// The model to compare with: the backing of each page of a small address space.
using Plain = std::map<std::uint64_t, std::pair<File, std::uint64_t>>;

Plain pages_of(const std::vector<Piece>& pieces) {
  Plain pages;
  for (const Piece& piece : pieces)
    for (std::uint64_t at = piece.start; at < piece.end; ++at)
      pages[at] = {piece.file, piece.offset + at - piece.start};
  return pages;
}

RC_GTEST_PROP(Backing, MatchesPageByPageBookkeeping, ()) {
  constexpr std::uint64_t kEnd = 64;
  std::vector<File> files = {std::make_shared<PagesFile>(), std::make_shared<PagesFile>()};
  Backing backing;
  Plain plain;
  auto number = [](std::uint64_t below) { return *rc::gen::inRange<std::uint64_t>(0, below); };
  for (int step = 0; step < 20; ++step) {
    std::uint64_t start = number(kEnd);
    std::uint64_t end = start + 1 + number(kEnd - start);
    switch (number(3)) {
      case 0: {
        File file = files[number(2)];
        std::uint64_t offset = number(100);
        backing.put({start, end, file, offset});
        for (std::uint64_t at = start; at < end; ++at) plain[at] = {file, offset + at - start};
        break;
      }
      case 1:
        backing.erase({start, end});
        for (std::uint64_t at = start; at < end; ++at) plain.erase(at);
        break;
      default: {
        std::uint64_t to = kEnd + number(kEnd);  // does not overlap the source
        backing.move(start, to, end - start);
        Plain taken;
        for (std::uint64_t at = start; at < end; ++at) {
          if (plain.contains(at)) taken[at - start + to] = plain[at];
          plain.erase(at);
          plain.erase(at - start + to);
        }
        plain.merge(taken);
      }
    }
    RC_ASSERT(pages_of(backing.within({0, 4 * kEnd})) == plain);
    std::uint64_t from = number(kEnd);
    Plain part;
    for (std::uint64_t at = from; at < from + 10; ++at)
      if (plain.contains(at)) part[at] = plain[at];
    RC_ASSERT(pages_of(backing.within({from, from + 10})) == part);
  }
}

TEST(Without, RemovesTheRanges) {
  File file = std::make_shared<PagesFile>();
  std::vector<Piece> pieces = {{0, 10, file, 100}, {20, 30, file, 200}};
  std::vector<PageRange> ranges = {{2, 4}, {8, 22}, {29, 40}};
  std::vector<Piece> expected = {{0, 2, file, 100}, {4, 8, file, 104}, {22, 29, file, 202}};
  EXPECT_EQ(without(pieces, ranges), expected);
  EXPECT_EQ(without(pieces, {}), pieces);
}

}  // namespace
}  // namespace sf::waypoint::native
