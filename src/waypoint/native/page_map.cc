#include "waypoint/native/page_map.h"

#include <fcntl.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <string>

#include "os/error.h"
#include "os/file.h"

namespace sf::waypoint::native {
namespace {

// The kernel's interface, which older headers lack.
struct ScanRegion {
  std::uint64_t start;
  std::uint64_t end;
  std::uint64_t categories;
};
struct ScanArgument {
  std::uint64_t size;
  std::uint64_t flags;
  std::uint64_t start;
  std::uint64_t end;
  std::uint64_t walk_end;
  std::uint64_t vec;
  std::uint64_t vec_len;
  std::uint64_t max_pages;
  std::uint64_t category_inverted;
  std::uint64_t category_mask;
  std::uint64_t category_anyof_mask;
  std::uint64_t return_mask;
};
constexpr std::uint64_t kWritten = 1U << 1U;
constexpr std::uint64_t kFile = 1U << 2U;
constexpr std::uint64_t kPresent = 1U << 3U;
constexpr std::uint64_t kSwapped = 1U << 4U;
constexpr std::uint64_t kZero = 1U << 5U;
constexpr std::uint64_t kProtectMatching = 1U << 0U;
constexpr unsigned long kScan = _IOWR('f', 16, ScanArgument);
constexpr std::size_t kAtOnce = 1024;

}  // namespace

struct PageMap::Query {
  std::uint64_t inverted;
  std::uint64_t all_of;
  std::uint64_t any_of;
  std::uint64_t answer;  // one for all: neighbours come as one
  std::uint64_t flags = 0;
};

Result<PageMap> PageMap::open(pid_t pid) {
  SF_TRY_ASSIGN(os::UniqueFd map,
                os::open_file("/proc/" + std::to_string(pid) + "/pagemap", O_RDONLY));
  return PageMap(std::move(map));
}

Result<std::vector<PageRange>> PageMap::scan(PageRange range, const Query& query) const {
  std::vector<PageRange> all;
  ScanRegion regions[kAtOnce];
  for (std::uint64_t start = range.start; start < range.end;) {
    ScanArgument scan{};
    scan.size = sizeof scan;
    scan.flags = query.flags;
    scan.start = start;
    scan.end = range.end;
    scan.vec = reinterpret_cast<std::uint64_t>(regions);
    scan.vec_len = kAtOnce;
    scan.category_inverted = query.inverted;
    scan.category_mask = query.all_of;
    scan.category_anyof_mask = query.any_of;
    scan.return_mask = query.answer;
    int n = ::ioctl(map_.get(), kScan, &scan);
    if (n < 0) return os::last_error("looking at the pages of a process");
    for (int i = 0; i < n; ++i) {
      if (!all.empty() && all.back().end == regions[i].start) {
        all.back().end = regions[i].end;
      } else {
        all.push_back({regions[i].start, regions[i].end});
      }
    }
    // A scan that stopped on its way and then came to its end tells where it had stopped.
    bool is_whole = n < static_cast<int>(kAtOnce);
    start = is_whole ? range.end : std::max(scan.walk_end, regions[n - 1].end);
  }
  return all;
}

Result<std::vector<PageRange>> PageMap::changed(PageRange range) const {
  return scan(range, {kFile | kZero, kFile | kZero, kPresent | kSwapped, kPresent});
}

Result<std::vector<PageRange>> PageMap::present(PageRange range) const {
  return scan(range, {0, 0, kPresent | kSwapped, kPresent});
}

Result<std::vector<PageRange>> PageMap::written(PageRange range) const {
  return scan(range, {0, kWritten, 0, kWritten});
}

Status PageMap::protect(PageRange range) const {
  auto done = scan(range, {0, 0, kPresent | kSwapped, kPresent, kProtectMatching});
  if (!done) return std::move(done).error();
  return Ok{};
}

}  // namespace sf::waypoint::native
