// What state the pages of a stopped process are in (PAGEMAP_SCAN).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "os/fd.h"
#include "waypoint/native/backing.h"

namespace sf::waypoint::native {

inline constexpr PageRange kAllMemory{0, 0x7ffffffff000ULL};

class PageMap {
 public:
  static Result<PageMap> open(pid_t pid);

  // Pages with content of their own: neither a file's nor zero.
  Result<std::vector<PageRange>> changed(PageRange range) const;
  // Likewise, and those that read as zero because somebody looked.
  Result<std::vector<PageRange>> present(PageRange range) const;
  // Pages of watched memory (write_watch.h) that were written since they were last protected. Those
  // that are not there, too.
  Result<std::vector<PageRange>> written(PageRange range) const;
  // Pages that must not be touched (guards.h). They count as changed, too.
  Result<std::vector<PageRange>> guards(PageRange range) const;
  // Protects what is there of watched memory.
  Status protect(PageRange range) const;

 private:
  struct Query;
  explicit PageMap(os::UniqueFd map) : map_(std::move(map)) {}
  Result<std::vector<PageRange>> scan(PageRange range, const Query& query) const;

  os::UniqueFd map_;
};

}  // namespace sf::waypoint::native
