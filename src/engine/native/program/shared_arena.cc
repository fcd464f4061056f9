#include "engine/native/program/shared_arena.h"

#include <sys/mman.h>

#include <algorithm>

#include "os/error.h"

namespace sf::waypoint::native {
namespace {

constexpr std::uint64_t kFirst = 0x10000000ULL;
constexpr std::uint64_t kLast = 0x700000000000ULL;
constexpr std::uint64_t kGap = 1ULL << 20U;  // room for a stack nearby to grow

// Room for every step, path and list of pages; untouched parts cost nothing.
std::uint64_t size_for(const TreeImage& tree) {
  std::uint64_t size = 1U << 20U;
  for (const FileImage& file : tree.files) {
    size += 2048 + 2 * file.path.size();
    for (const InotifyWatch& watch : file.event.watches) size += 512 + watch.path.size();
    if (file.kind != FileKind::kSocket) continue;
    size += 64U << 10U;
    size += 2 * (file.socket.tcp.unread.size() + file.socket.tcp.unacknowledged.size());
    for (const SocketMessage& message : file.socket.local.queue)
      size += message.bytes.size() + (16U << 10U);
  }
  for (const TerminalImage& terminal : tree.ptys)
    size += 4096 + static_cast<std::uint64_t>(terminal.number) * 256;
  for (const InodeImage& inode : tree.inodes)
    size += 8192 + inode.content.size() + inode.extents.size() * 512;
  for (const ProcessImage& process : tree.processes) {
    size += (256U << 10U) + process.mappings.size() * 2048 + process.pages.size() * 64 +
            process.descriptors.size() * 256 + process.pending.size() * 512;
    for (const ThreadImage& thread : process.threads) {
      size += (64U << 10U) + thread.pending.size() * 512 + thread.credentials.groups.size() * 8;
      for (const FilterImage& filter : thread.filters) size += filter.instructions.size() + 256;
    }
    for (const Mapping& mapping : process.mappings) size += mapping.name.size() + 256;
  }
  for (const MappedFile& file : tree.mapped)
    size += tree.processes.size() * (file.path.size() + 512);
  return (size + 0xffffU) & ~0xffffULL;
}

}  // namespace

Result<SharedArena> SharedArena::map(const TreeImage& tree) {
  std::uint64_t size = size_for(tree);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> taken;
  for (const ProcessImage& process : tree.processes)
    for (const Mapping& mapping : process.mappings) taken.emplace_back(mapping.start, mapping.end);
  std::ranges::sort(taken);
  std::uint64_t at = kFirst;
  for (int tries = 0; tries < 64 && at < kLast; ++tries) {
    for (const auto& [start, end] : taken)
      if (start < at + size + kGap && at < end + kGap) at = (end + kGap + 0xffffU) & ~0xffffULL;
    void* location =
        ::mmap(reinterpret_cast<void*>(at), size, PROT_READ | PROT_WRITE | PROT_EXEC,
               MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (location != MAP_FAILED)
      return SharedArena(Arena(static_cast<unsigned char*>(location), at, size), at, size);
    at += size + (1ULL << 30U);  // this process uses the range
  }
  return os::last_error("finding memory for the programs of a restore");
}

SharedArena::~SharedArena() {
  if (start_ != 0) ::munmap(reinterpret_cast<void*>(start_), size_);
}

}  // namespace sf::waypoint::native
