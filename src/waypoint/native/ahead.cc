#include "waypoint/native/ahead.h"

#include <algorithm>

namespace sf::waypoint::native {
namespace {

constexpr std::size_t kFileTimeLeft = 4;  // in EventImage::numbers: seconds, nanoseconds
constexpr std::size_t kTimeLeft = 2;      // in PosixTimer::times, likewise
constexpr std::uint64_t kMostShared = 64U << 20U;

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

// A process's own memory comes when it is touched, what several share at once.
std::uint64_t shared_bytes(const TreeImage& tree) {
  std::uint64_t bytes = 0;
  for (const InodeImage& inode : tree.inodes)
    for (const Extent& extent : inode.extents) bytes += extent.size;
  for (const SegmentImage& segment : tree.ipc.segments)
    for (const Extent& extent : segment.extents) bytes += extent.size;
  return bytes;
}

}  // namespace

std::optional<std::string> reason_not_ahead(const TreeImage& tree) {
  for (const ProcessImage& process : tree.processes) {
    if (any_runs(process.timers))
      return "an alarm of process " + std::to_string(process.pid) + " would go on";
    if (any_runs(process.posix_timers))
      return "a timer of process " + std::to_string(process.pid) + " would go on";
  }
  if (any_runs(tree.files)) return "a timerfd would go on";
  if (shared_bytes(tree) > kMostShared) return "it shares much memory";
  return std::nullopt;
}

}  // namespace sf::waypoint::native
