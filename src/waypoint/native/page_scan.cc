#include "waypoint/native/page_scan.h"

#include <fcntl.h>
#include <sys/ioctl.h>

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
constexpr std::uint64_t kFile = 1U << 2U;
constexpr std::uint64_t kPresent = 1U << 3U;
constexpr std::uint64_t kSwapped = 1U << 4U;
constexpr std::uint64_t kZero = 1U << 5U;
constexpr unsigned long kScan = _IOWR('f', 16, ScanArgument);
constexpr std::uint64_t kAddressEnd = 0x7ffffffff000ULL;
constexpr std::size_t kAtOnce = 1024;

}  // namespace

Result<std::vector<PageRange>> scan_private_pages(pid_t pid) {
  SF_TRY_ASSIGN(os::UniqueFd map,
                os::open_file("/proc/" + std::to_string(pid) + "/pagemap", O_RDONLY));
  std::vector<PageRange> all;
  std::vector<ScanRegion> regions(kAtOnce);
  for (std::uint64_t start = 0; start < kAddressEnd;) {
    ScanArgument scan{};
    scan.size = sizeof scan;
    scan.start = start;
    scan.end = kAddressEnd;
    scan.vec = reinterpret_cast<std::uint64_t>(regions.data());
    scan.vec_len = regions.size();
    scan.category_mask = kFile | kZero;
    scan.category_inverted = kFile | kZero;
    scan.category_anyof_mask = kPresent | kSwapped;
    scan.return_mask = kPresent;  // one answer for all: neighbours come as one
    int n = ::ioctl(map.get(), kScan, &scan);
    if (n < 0) return os::last_error("looking for changed pages of process " + std::to_string(pid));
    for (int i = 0; i < n; ++i) {
      const ScanRegion& region = regions[static_cast<std::size_t>(i)];
      if (!all.empty() && all.back().end == region.start) {
        all.back().end = region.end;
      } else {
        all.push_back({region.start, region.end});
      }
    }
    start = scan.walk_end;
  }
  return all;
}

}  // namespace sf::waypoint::native
