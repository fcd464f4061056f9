// PAGEMAP_SCAN: which pages of a process are its own.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "base/result.h"

namespace sf::waypoint::native {

struct PageRange {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
};
// Pages that are neither a file's nor the zero page, in order.
Result<std::vector<PageRange>> scan_private_pages(pid_t pid);

}  // namespace sf::waypoint::native
