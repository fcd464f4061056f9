#include "waypoint/native/memory.h"

#include <asm/prctl.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/prctl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include <algorithm>
#include <map>

#include "os/error.h"
#include "os/file.h"
#include "waypoint/native/kinds.h"
#include "waypoint/native/page_scan.h"

namespace sf::waypoint::native {
namespace {

constexpr std::uint64_t kAddressEnd = 0x7ffffffff000ULL;
constexpr std::size_t kMaxPieces = 1000;  // of one preadv

bool has(const MappingText& text, std::string_view flag) {
  return std::ranges::find(text.flags, flag) != text.flags.end();
}

std::uint32_t find_or_add(std::vector<MappedFile>& files, MappedFile file) {
  auto found = std::ranges::find(files, file);
  if (found == files.end()) found = files.insert(files.end(), std::move(file));
  return static_cast<std::uint32_t>(found - files.begin());
}

Mapping describe(const MappingText& text, TreeImage& tree) {
  Mapping mapping;
  mapping.start = text.start;
  mapping.end = text.end;
  mapping.offset = text.offset;
  mapping.kind = judge(text).kind;
  const std::string& p = text.permissions;
  mapping.protection = (p[0] == 'r' ? static_cast<unsigned>(PROT_READ) : 0U) |
                       (p[1] == 'w' ? static_cast<unsigned>(PROT_WRITE) : 0U) |
                       (p[2] == 'x' ? static_cast<unsigned>(PROT_EXEC) : 0U);
  mapping.flags = p[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
  if (mapping.kind == MappingKind::kAnonymous) mapping.flags |= MAP_ANONYMOUS;
  if (has(text, "gd")) mapping.flags |= MAP_GROWSDOWN;
  if (has(text, "nr")) mapping.flags |= MAP_NORESERVE;
  constexpr std::pair<std::string_view, int> kAdvice[] = {
      {"dc", MADV_DONTFORK},   {"wf", MADV_WIPEONFORK}, {"dd", MADV_DONTDUMP},
      {"hg", MADV_HUGEPAGE},   {"nh", MADV_NOHUGEPAGE}, {"mg", MADV_MERGEABLE},
      {"sr", MADV_SEQUENTIAL}, {"rr", MADV_RANDOM}};
  for (const auto& [flag, advice] : kAdvice)
    if (has(text, flag)) mapping.advice.push_back(advice);
  if (has(text, "lo")) mapping.locked = has(text, "lf") ? 2 : 1;
  if (mapping.kind == MappingKind::kFile)
    mapping.file = find_or_add(tree.mapped, {text.name, p[3] == 's' && has(text, "mw") ? 1U : 0U});
  if (mapping.kind == MappingKind::kSysv) mapping.file = static_cast<std::uint32_t>(text.inode);
  if (text.name.starts_with("[anon:")) mapping.name = text.name.substr(6, text.name.size() - 7);
  return mapping;
}

bool is_private(const Mapping& mapping) {
  return mapping.kind != MappingKind::kKernel && (mapping.flags & MAP_PRIVATE) != 0;
}

class MemoryWriter {
 public:
  MemoryWriter(ProgramWriter& program, const ProcessImage& process, const TreeImage& tree,
               const MemoryPlaces& places)
      : program_(program), process_(process), tree_(tree), places_(places) {}

  void write() {
    program_.about("removing the old memory");
    program_.call(SYS_munmap, {0, places_.kept_start});
    program_.call(SYS_munmap, {places_.kept_end, kAddressEnd - places_.kept_end});
    for (const Mapping& mapping : process_.mappings) map(mapping);
    read_pages();
    for (const Mapping& mapping : process_.mappings) finish(mapping);
    for (const auto& [file, fd] : files_) program_.call(SYS_close, {fd});
    map_vdso();
    set_layout();
  }

 private:
  bool has_pages(const Mapping& mapping) const {
    auto at = std::ranges::lower_bound(process_.pages, mapping.start, {}, &Extent::at);
    return at != process_.pages.end() && at->at < mapping.end;
  }

  std::uint32_t protection_at_first(const Mapping& mapping) const {
    bool written = is_private(mapping) && has_pages(mapping);
    return written ? mapping.protection | static_cast<unsigned>(PROT_WRITE) : mapping.protection;
  }

  Argument file_of(const Mapping& mapping) {
    if (mapping.kind == MappingKind::kAnonymous) return -1;
    if (mapping.kind == MappingKind::kShared) return held_inode(places_.files, mapping.file);
    auto found = files_.find(mapping.file);
    if (found != files_.end()) return found->second;
    const MappedFile& file = tree_.mapped[mapping.file];
    program_.about("opening " + file.path);
    Argument fd = program_.keep(SYS_openat, {AT_FDCWD, program_.arena().put_text(file.path),
                                             file.writable != 0 ? O_RDWR : O_RDONLY});
    files_.emplace(mapping.file, fd);
    return fd;
  }

  void attach(const Mapping& mapping) {
    bool runs = (mapping.protection & PROT_EXEC) != 0;
    program_.about("attaching shared memory");
    program_.call_exactly(static_cast<long>(mapping.start), SYS_shmat,
                          {mapping.file, mapping.start, runs ? SHM_EXEC : 0});
    if ((mapping.protection & PROT_WRITE) == 0)
      program_.call(SYS_mprotect, {mapping.start, mapping.end - mapping.start, mapping.protection});
  }

  void map(const Mapping& mapping) {
    if (mapping.kind == MappingKind::kKernel) return;
    if (mapping.kind == MappingKind::kSysv) return attach(mapping);
    Argument file = file_of(mapping);
    program_.about("mapping " + (mapping.kind == MappingKind::kFile
                                     ? tree_.mapped[mapping.file].path
                                     : std::string("memory")));
    program_.call(SYS_mmap,
                  {mapping.start, mapping.end - mapping.start, protection_at_first(mapping),
                   mapping.flags | MAP_FIXED_NOREPLACE, file, mapping.offset});
  }

  // The pages lie in the image one behind the other, in the order of their addresses.
  void read_pages() {
    program_.about("reading pages");
    for (std::size_t i = 0; i < process_.pages.size();) {
      std::vector<iovec> pieces;
      std::uint64_t offset = process_.pages[i].offset;
      std::uint64_t size = 0;
      for (; i < process_.pages.size() && pieces.size() < kMaxPieces &&
             process_.pages[i].offset == offset + size && size < kMaxRead;
           ++i) {
        const Extent& extent = process_.pages[i];
        pieces.push_back({reinterpret_cast<void*>(extent.at), extent.size});
        size += extent.size;
      }
      program_.call_exactly(
          static_cast<long>(size), SYS_preadv,
          {places_.files.pages, program_.arena().put(pieces.data(), pieces.size() * sizeof(iovec)),
           pieces.size(), offset, 0});
    }
  }

  void finish(const Mapping& mapping) {
    if (mapping.kind == MappingKind::kKernel) return;
    std::uint64_t size = mapping.end - mapping.start;
    program_.about("protecting memory");
    if (protection_at_first(mapping) != mapping.protection)
      program_.call(SYS_mprotect, {mapping.start, size, mapping.protection});
    program_.about("advising memory");
    for (std::int32_t advice : mapping.advice)
      program_.call(SYS_madvise, {mapping.start, size, advice});
    if (mapping.locked != 0)
      program_.call(SYS_mlock2, {mapping.start, size, mapping.locked == 2 ? MLOCK_ONFAULT : 0U});
    if (!mapping.name.empty())
      program_.call(SYS_prctl, {PR_SET_VMA, PR_SET_VMA_ANON_NAME, mapping.start, size,
                                program_.arena().put_text(mapping.name)});
  }

  void map_vdso() {
    program_.about("mapping the vDSO");
    program_.call(SYS_arch_prctl, {ARCH_MAP_VDSO_64, process_.layout.vdso});
  }

  void set_layout() {
    const MemoryLayout& layout = process_.layout;
    program_.about("opening " + layout.exe);
    Argument exe = program_.keep(
        SYS_openat, {AT_FDCWD, program_.arena().put_text(layout.exe), O_RDONLY | O_CLOEXEC});
    program_.call(SYS_dup3, {exe, places_.files.scratch, O_CLOEXEC});
    program_.call(SYS_close, {exe});
    prctl_mm_map map{};
    std::memcpy(&map, layout.bounds.data(), sizeof layout.bounds);
    map.auxv =
        reinterpret_cast<__u64*>(program_.arena().put(layout.auxv.data(), layout.auxv.size()));
    map.auxv_size = static_cast<__u32>(layout.auxv.size());
    map.exe_fd = static_cast<__u32>(places_.files.scratch);
    program_.about("bounds of the memory");
    program_.call(SYS_prctl,
                  {PR_SET_MM, PR_SET_MM_MAP, program_.arena().put_value(map), sizeof map, 0});
    program_.call(SYS_close, {places_.files.scratch});
  }

  static constexpr std::uint64_t kMaxRead = 1ULL << 30U;  // the kernel reads at most 2 GiB at once

  ProgramWriter& program_;
  const ProcessImage& process_;
  const TreeImage& tree_;
  const MemoryPlaces& places_;
  std::map<std::uint32_t, Argument> files_;
};

}  // namespace

Status describe_memory(const ProcessFacts& facts, ProcessImage& process, TreeImage& tree,
                       InodeCapture& inodes) {
  for (const MappingText& text : facts.mappings) {
    if (text.name == "[vsyscall]") continue;  // the kernel's own, everywhere
    Mapping mapping = describe(text, tree);
    if (mapping.kind == MappingKind::kKernel && process.layout.vdso == 0)
      process.layout.vdso = mapping.start;
    if (mapping.kind == MappingKind::kShared) {
      SF_TRY_ASSIGN(mapping.file, inodes.find_or_capture(facts.pid, text));
    }
    process.mappings.push_back(std::move(mapping));
  }
  process.layout.bounds = facts.stat().bounds;
  process.layout.auxv = facts.auxv;
  process.layout.exe = facts.exe;
  return Ok{};
}

Status capture_pages(pid_t pid, ProcessImage& process, PagesWriter& pages) {
  SF_TRY_ASSIGN(std::vector<PageRange> found, scan_private_pages(pid));
  auto at = found.begin();
  for (const Mapping& mapping : process.mappings) {
    if (!is_private(mapping)) continue;
    while (at != found.end() && at->end <= mapping.start) ++at;
    for (; at != found.end() && at->start < mapping.end; ++at) {
      Extent extent{std::max(at->start, mapping.start), 0, 0};
      extent.size = std::min(at->end, mapping.end) - extent.at;
      process.pages.push_back(extent);
      if (at->end > mapping.end) break;
    }
  }
  return pages.append_memory(pid, process.pages);
}

void bring_back_memory(ProgramWriter& program, const ProcessImage& process, const TreeImage& tree,
                       const MemoryPlaces& places) {
  MemoryWriter(program, process, tree, places).write();
}

}  // namespace sf::waypoint::native
