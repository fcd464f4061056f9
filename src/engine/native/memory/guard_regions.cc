#include "engine/native/memory/guard_regions.h"

#include <sys/syscall.h>

#include <algorithm>

namespace sf::waypoint::native {
namespace {

constexpr int kInstall = 102;  // MADV_GUARD_INSTALL

}  // namespace

bool may_have_guards(const MappingText& mapping) {
  return std::ranges::find(mapping.flags, "gu") != mapping.flags.end();
}

Result<std::vector<PageRange>> find_guards(const ProcessFacts& process, const PageMap& map) {
  std::vector<PageRange> all;
  for (const MappingText& mapping : process.mappings) {
    if (!may_have_guards(mapping)) continue;
    SF_TRY_ASSIGN(std::vector<PageRange> some, map.guards({mapping.start, mapping.end}));
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

std::vector<PageRange> without_guards(const std::vector<PageRange>& ranges,
                                      const std::vector<PageRange>& guards) {
  std::vector<PageRange> left;
  auto guard = guards.begin();
  for (PageRange range : ranges) {
    while (guard != guards.end() && guard->end <= range.start) ++guard;
    for (auto at = guard; at != guards.end() && at->start < range.end; ++at) {
      if (range.start < at->start) left.push_back({range.start, at->start});
      range.start = std::min(at->end, range.end);
    }
    if (range.start < range.end) left.push_back(range);
  }
  return left;
}

void install_guards(ProgramWriter& program, const ProcessImage& process) {
  program.about("guarding memory");
  for (const Guard& guard : process.guards)
    program.call(SYS_madvise, {guard.start, guard.end - guard.start, kInstall});
}

}  // namespace sf::waypoint::native
