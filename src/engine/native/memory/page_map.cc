#include "engine/native/memory/page_map.h"

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
constexpr std::uint64_t kGuard = 1U << 8U;
constexpr std::uint64_t kProtectMatching = 1U << 0U;
constexpr unsigned long kScan = _IOWR('f', 16, ScanArgument);
constexpr std::size_t kAtOnce = 1024;

void append(std::vector<PageRange>& all, PageRange range) {
  if (!all.empty() && all.back().end == range.start) {
    all.back().end = range.end;
  } else {
    all.push_back(range);
  }
}

}  // namespace

struct PageMap::Query {
  std::uint64_t inverted;
  std::uint64_t all_of;
  std::uint64_t any_of;
  std::uint64_t answer;  // categories to return; adjacent pages with equal ones are merged
  std::uint64_t flags = 0;
};

Result<PageMap> PageMap::open(pid_t pid) {
  SF_TRY_ASSIGN(os::UniqueFd map,
                os::open_file("/proc/" + std::to_string(pid) + "/pagemap", O_RDONLY));
  return PageMap(std::move(map));
}

// Calls `take` with each range and its categories.
template <typename Take>
Status PageMap::scan(PageRange range, const Query& query, Take take) const {
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
    for (int i = 0; i < n; ++i)
      take(PageRange{regions[i].start, regions[i].end}, regions[i].categories);
    // If a scan pauses and then completes, walk_end is where it paused.
    bool is_whole = n < static_cast<int>(kAtOnce);
    start = is_whole ? range.end : std::max(scan.walk_end, regions[n - 1].end);
  }
  return Ok{};
}

Result<std::vector<PageRange>> PageMap::changed(PageRange range) const {
  std::vector<PageRange> all;
  SF_TRY(scan(range, {kFile | kZero, kFile | kZero, kPresent | kSwapped, kPresent},
              [&](PageRange found, std::uint64_t) { append(all, found); }));
  return all;
}

// Kernels differ in whether an absent page counts as written, so absent pages are not queried.
Result<PageMap::Watched> PageMap::watched(PageRange range) const {
  Watched found;
  SF_TRY(scan(range, {0, 0, kPresent | kSwapped, kWritten | kFile | kZero},
              [&](PageRange pages, std::uint64_t is) {
                append((is & kWritten) == 0 ? found.clean : found.written, pages);
                if ((is & kWritten) != 0 && (is & (kFile | kZero)) == 0)
                  append(found.changed, pages);
              }));
  return found;
}

Result<std::vector<PageRange>> PageMap::guards(PageRange range) const {
  std::vector<PageRange> all;
  SF_TRY(scan(range, {0, kGuard, 0, kGuard},
              [&](PageRange found, std::uint64_t) { append(all, found); }));
  return all;
}

Status PageMap::protect(PageRange range) const {
  return scan(range, {0, kWritten, kPresent | kSwapped, kPresent, kProtectMatching},
              [](PageRange, std::uint64_t) {});
}

}  // namespace sf::waypoint::native
