// What state the pages of a stopped process are in (PAGEMAP_SCAN).
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

  // Pages with content of their own: neither a file's nor zero.
  Result<std::vector<PageRange>> changed(PageRange range) const;
  // What is there of watched memory (memory_watches.h).
  struct Watched {
    std::vector<PageRange> clean;    // not written since it was last protected
    std::vector<PageRange> written;  // the rest
    std::vector<PageRange> changed;  // of these: with content of their own
  };
  Result<Watched> watched(PageRange range) const;
  // Pages that must not be touched (guards.h). They count as changed, too.
  Result<std::vector<PageRange>> guards(PageRange range) const;
  // Protects what is there of watched memory and was written.
  Status protect(PageRange range) const;

 private:
  struct Query;
  explicit PageMap(os::UniqueFd map) : map_(std::move(map)) {}
  template <typename Take>
  Status scan(PageRange range, const Query& query, Take take) const;

  os::UniqueFd map_;
};

}  // namespace sf::waypoint::native
