#include "engine/native/speculation_blockers.h"

#include <algorithm>

#include "engine/native/memory/memory.h"

namespace sf::waypoint::native {
namespace {

constexpr std::size_t kFileTimeLeft = 4;  // in EventImage::numbers: seconds, nanoseconds
constexpr std::size_t kTimeLeft = 2;      // in PosixTimer::times, likewise
constexpr std::uint64_t kMostAtOnce = 64U << 20U;

bool runs(const itimerval& timer) {
  return timer.it_value.tv_sec != 0 || timer.it_value.tv_usec != 0;
}

bool runs(const PosixTimer& timer) {
  return timer.times[kTimeLeft] != 0 || timer.times[kTimeLeft + 1] != 0;
}

bool runs(const FileImage& file) {
  const EventImage& event = file.event;
  return file.kind == FileKind::kEvent && event.kind == EventKind::kTimer &&
         event.numbers.size() > kFileTimeLeft + 1 &&
         (event.numbers[kFileTimeLeft] != 0 || event.numbers[kFileTimeLeft + 1] != 0);
}

template <typename All>
bool any_runs(const All& all) {
  return std::ranges::any_of(all, [](const auto& each) { return runs(each); });
}

std::uint64_t size_of(const std::vector<Extent>& extents) {
  std::uint64_t bytes = 0;
  for (const Extent& extent : extents) bytes += extent.size;
  return bytes;
}

// Bytes that a restore loads before the tree runs.
std::uint64_t bytes_at_once(const TreeImage& tree, bool lazy) {
  std::uint64_t bytes = 0;
  for (const InodeImage& inode : tree.inodes) bytes += size_of(inode.extents);
  for (const SegmentImage& segment : tree.ipc.segments) bytes += size_of(segment.extents);
  for (const ProcessImage& process : tree.processes) {
    const std::vector<PageRange> later = lazy ? lazy_mappings(process) : std::vector<PageRange>();
    for (const Extent& extent : process.pages) {
      bool comes_later = std::ranges::any_of(later, [&](const PageRange& range) {
        return range.start <= extent.at && extent.at < range.end;
      });
      bytes += comes_later ? 0 : extent.size;
    }
  }
  return bytes;
}

}  // namespace

std::optional<std::string> running_clock(const TreeImage& tree) {
  for (const ProcessImage& process : tree.processes) {
    if (any_runs(process.timers))
      return "process " + std::to_string(process.pid) + " has a running alarm";
    if (any_runs(process.posix_timers))
      return "process " + std::to_string(process.pid) + " has a running timer";
  }
  if (any_runs(tree.files)) return "a timerfd is running";
  return std::nullopt;
}

std::optional<std::string> reason_not_to_speculate(const TreeImage& tree, bool lazy) {
  if (auto clock = running_clock(tree)) return clock;
  if (bytes_at_once(tree, lazy) > kMostAtOnce) return "it would load too much memory";
  return std::nullopt;
}

}  // namespace sf::waypoint::native
