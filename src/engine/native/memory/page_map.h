// PageMap: the state of the pages of a stopped process (PAGEMAP_SCAN).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "engine/native/memory/backing.h"
#include "os/fd.h"

namespace sf::waypoint::native {

inline constexpr PageRange kAllMemory{0, 0x7ffffffff000ULL};

class PageMap {
 public:
  static Result<PageMap> open(pid_t pid);

  // Pages with content of their own: neither the file's nor zero.
  Result<std::vector<PageRange>> changed(PageRange range) const;
  // Present pages of watched memory (memory_watches.h).
  struct Watched {
    std::vector<PageRange> clean;    // not written since it was last protected
    std::vector<PageRange> written;  // the rest
    std::vector<PageRange> changed;  // the written ones that have content of their own
  };
  Result<Watched> watched(PageRange range) const;
  // Guard regions (guard_regions.h). changed() returns them too.
  Result<std::vector<PageRange>> guards(PageRange range) const;
  // Write-protects the present pages of watched memory that were written.
  Status protect(PageRange range) const;

 private:
  struct Query;
  explicit PageMap(os::UniqueFd map) : map_(std::move(map)) {}
  template <typename Take>
  Status scan(PageRange range, const Query& query, Take take) const;

  os::UniqueFd map_;
};

}  // namespace sf::waypoint::native
