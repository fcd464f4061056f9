#include "engine/native/memory/memory.h"

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
#include <cstring>

#include "engine/native/classify.h"
#include "engine/native/memory/guard_regions.h"
#include "engine/native/memory/memory_watches.h"
#include "os/error.h"
#include "os/file.h"

namespace sf::waypoint::native {
namespace {

// Below these sizes, reading the pages at once is faster than serving faults.
constexpr std::uint64_t kWorthWaiting = 1U << 20U;
constexpr std::uint64_t kWorthServing = 4U << 20U;
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
  mapping.kind = classify(text).kind;
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
  if (mapping.kind == MappingKind::kSysv) {
    mapping.file = static_cast<std::uint32_t>(text.inode);
    if (!has(text, "mw")) mapping.flags |= SHM_RDONLY;
  }
  if (text.name.starts_with("[anon:")) mapping.name = text.name.substr(6, text.name.size() - 7);
  return mapping;
}

bool is_private(const Mapping& mapping) {
  return mapping.kind != MappingKind::kKernel && (mapping.flags & MAP_PRIVATE) != 0;
}

void open_at(ProgramWriter& program, const std::string& path, int how, int location) {
  program.about("opening " + path);
  Argument fd =
      program.keep(SYS_openat, {AT_FDCWD, program.arena().put_text(path), how | O_CLOEXEC});
  program.call(SYS_dup3, {fd, location, O_CLOEXEC});
  program.call(SYS_close, {fd});
}

struct LargeMapping {
  PageRange range;
  std::uint64_t content;  // bytes that are in the image
};

// Large mappings that a userfaultfd can be registered for.
std::vector<LargeMapping> large_mappings(const ProcessImage& process, std::uint64_t least) {
  std::vector<LargeMapping> large;
  auto extent = process.pages.begin();
  for (const Mapping& mapping : process.mappings) {
    std::uint64_t size = 0;
    while (extent != process.pages.end() && extent->at < mapping.start) ++extent;
    for (; extent != process.pages.end() && extent->at < mapping.end; ++extent)
      size += extent->size;
    bool fits = mapping.kind == MappingKind::kAnonymous && mapping.locked == 0 &&
                (mapping.flags & MAP_GROWSDOWN) == 0 && size >= least;
    // With MADV_WIPEONFORK, faults of a child would be served with pages that it must not have.
    bool wiped = std::ranges::find(mapping.advice, MADV_WIPEONFORK) != mapping.advice.end();
    bool guarded = std::ranges::any_of(process.guards, [&](const Guard& guard) {
      return guard.start < mapping.end && mapping.start < guard.end;
    });
    if (fits && !guarded && !wiped) large.push_back({{mapping.start, mapping.end}, size});
  }
  return large;
}

class MemoryWriter {
 public:
  MemoryWriter(ProgramWriter& program, const ProcessImage& process, const TreeImage& tree,
               const MemoryLocations& locations)
      : program_(program), process_(process), tree_(tree), locations_(locations) {
    std::vector<PageRange> lazy =
        locations.lazy ? lazy_mappings(process) : std::vector<PageRange>();
    auto mapping = lazy.begin();
    for (const Extent& extent : process.pages) {
      while (mapping != lazy.end() && mapping->end <= extent.at) ++mapping;
      if (mapping == lazy.end() || extent.at < mapping->start) pages_.push_back(extent);
    }
  }

  void write() {
    for (const Mapping& mapping : process_.mappings) map(mapping);
    read_pages();
    for (const Mapping& mapping : process_.mappings) finish(mapping);
    install_guards(program_, process_);
    map_vdso();
    set_layout();
  }

 private:
  bool has_pages(const Mapping& mapping) const {
    auto at = std::ranges::lower_bound(pages_, mapping.start, {}, &Extent::at);
    return at != pages_.end() && at->at < mapping.end;
  }

  std::uint32_t protection_at_first(const Mapping& mapping) const {
    bool written = is_private(mapping) && has_pages(mapping);
    return written ? mapping.protection | static_cast<unsigned>(PROT_WRITE) : mapping.protection;
  }

  Argument file_of(const Mapping& mapping) {
    if (mapping.kind == MappingKind::kAnonymous) return -1;
    if (mapping.kind == MappingKind::kShared) return held_inode(locations_.files, mapping.file);
    return locations_.files.mapped + static_cast<int>(mapping.file);
  }

  void attach(const Mapping& mapping) {
    bool runs = (mapping.protection & PROT_EXEC) != 0;
    program_.about("attaching shared memory");
    unsigned only_read = mapping.flags & static_cast<unsigned>(SHM_RDONLY);
    program_.call_exactly(
        static_cast<long>(mapping.start), SYS_shmat,
        {mapping.file, mapping.start, only_read | (runs ? static_cast<unsigned>(SHM_EXEC) : 0U)});
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

  // Most pages are contiguous in the file, in the order of their addresses.
  void read_pages() {
    program_.about("reading pages");
    for (std::size_t i = 0; i < pages_.size();) {
      std::vector<iovec> pieces;
      const std::uint64_t file = pages_[i].file;
      const std::uint64_t offset = pages_[i].offset;
      std::uint64_t size = 0;
      for (; i < pages_.size() && pieces.size() < kMaxPieces && pages_[i].file == file &&
             pages_[i].offset == offset + size && size < kMaxRead;
           ++i) {
        const Extent& extent = pages_[i];
        // Populates all pages in one step instead of one fault for each.
        if (extent.size >= kWorthPopulating)
          program_.try_call(SYS_madvise, {extent.at, extent.size, MADV_POPULATE_WRITE});
        pieces.push_back({reinterpret_cast<void*>(extent.at), extent.size});
        size += extent.size;
      }
      program_.call_exactly(static_cast<long>(size), SYS_preadv,
                            {locations_.files.pages + static_cast<int>(file),
                             program_.arena().put(pieces.data(), pieces.size() * sizeof(iovec)),
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
    auto mapped = std::ranges::find(tree_.mapped, MappedFile{layout.exe, 0});
    int exe = locations_.files.mapped + static_cast<int>(mapped - tree_.mapped.begin());
    if (layout.exe_inode != kNone) {
      exe = held_inode(locations_.files, layout.exe_inode);
    } else if (mapped == tree_.mapped.end()) {
      exe = locations_.files.scratch;
      open_at(program_, layout.exe, O_RDONLY, exe);
    }
    prctl_mm_map map{};
    std::memcpy(&map, layout.bounds.data(), sizeof layout.bounds);
    map.auxv =
        reinterpret_cast<__u64*>(program_.arena().put(layout.auxv.data(), layout.auxv.size()));
    map.auxv_size = static_cast<__u32>(layout.auxv.size());
    map.exe_fd = static_cast<__u32>(exe);
    program_.about("bounds of the memory");
    program_.call(SYS_prctl,
                  {PR_SET_MM, PR_SET_MM_MAP, program_.arena().put_value(map), sizeof map, 0});
  }

  static constexpr std::uint64_t kWorthPopulating = 16U << 10U;
  static constexpr std::uint64_t kMaxRead = 1ULL << 30U;  // the kernel reads at most 2 GiB at once

  ProgramWriter& program_;
  const ProcessImage& process_;
  const TreeImage& tree_;
  const MemoryLocations& locations_;
  std::vector<Extent> pages_;  // read before the process runs
};

}  // namespace

Status describe_memory(const ProcessFacts& facts, ProcessImage& process, TreeImage& tree,
                       InodeCapture& inodes) {
  for (const MappingText& text : facts.mappings) {
    if (text.name == "[vsyscall]") continue;  // the kernel's own, in every process
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

void remove_memory(ProgramWriter& program, const MemoryLocations& locations) {
  program.about("removing the old memory");
  program.call(SYS_munmap, {0, locations.kept_start});
  program.call(SYS_munmap, {locations.kept_end, kAllMemory.end - locations.kept_end});
}

void open_mapped_files(ProgramWriter& program, const TreeImage& tree,
                       const FdLocations& locations) {
  int location = locations.mapped;
  for (const MappedFile& file : tree.mapped)
    open_at(program, file.path, file.writable != 0 ? O_RDWR : O_RDONLY, location++);
}

std::vector<PageRange> lazy_mappings(const ProcessImage& process) {
  std::vector<std::uint64_t> touched;  // by the kernel, while a thread is made
  for (const ThreadImage& thread : process.threads)
    touched.insert(touched.end(),
                   {thread.registers.rsp, thread.registers.fs_base, thread.registers.gs_base,
                    thread.rseq.address, thread.robust_list, thread.clear_tid});
  std::vector<PageRange> lazy;
  std::uint64_t worth = 0;
  for (const LargeMapping& mapping : large_mappings(process, kWorthWaiting)) {
    bool quiet = std::ranges::none_of(touched, [&](std::uint64_t address) {
      return mapping.range.start <= address && address < mapping.range.end;
    });
    if (!quiet) continue;
    lazy.push_back(mapping.range);
    worth += mapping.content;
  }
  if (worth < kWorthServing) lazy.clear();
  return lazy;
}

std::vector<PageRange> watched_mappings(const ProcessImage& process) {
  std::vector<PageRange> lazy = lazy_mappings(process);
  std::vector<PageRange> watched;
  for (const LargeMapping& mapping : large_mappings(process, kWorthWatching))
    if (!lazy.empty() && std::ranges::find(lazy, mapping.range) == lazy.end())
      watched.push_back(mapping.range);
  return watched;
}

void offer_user_fault(ProgramWriter& program, const FdLocations& locations) {
  program.about("creating a userfaultfd");
  Argument fd = program.keep(SYS_userfaultfd, {O_CLOEXEC | O_NONBLOCK});
  program.call(SYS_dup3, {fd, locations.pages, O_CLOEXEC});
  program.call(SYS_close, {fd});
}

void bring_back_memory(ProgramWriter& program, const ProcessImage& process, const TreeImage& tree,
                       const MemoryLocations& locations) {
  MemoryWriter(program, process, tree, locations).write();
}

}  // namespace sf::waypoint::native
