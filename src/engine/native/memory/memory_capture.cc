#include "engine/native/memory/memory_capture.h"

#include <algorithm>

#include "engine/native/classify.h"
#include "engine/native/memory/guard_regions.h"
#include "engine/native/memory/page_map.h"

namespace sf::waypoint::native {
namespace {

// Per process: below this size, copying is cheaper than watching.
constexpr std::uint64_t kWorthBeginning = 4U << 20U;

bool has(const MappingText& mapping, std::string_view flag) {
  return std::ranges::find(mapping.flags, flag) != mapping.flags.end();
}

bool is_private(const MappingText& mapping) {
  return mapping.permissions[3] == 'p' && classify(mapping).kind != MappingKind::kKernel;
}

class Planner {
 public:
  Planner(const ProcessFacts& process, const PageMap& map, const WatchedMemory* watched)
      : process_(process), map_(map), watched_(watched) {}

  Result<MemoryPlan> run() {
    std::uint64_t from = 0;  // everything below is done
    for (const MappingText& mapping : process_.mappings) {
      if (!mapping.watched) continue;
      SF_TRY(look_at_rest({from, mapping.start}));
      SF_TRY(look_at_watched(mapping));
      from = mapping.end;
    }
    SF_TRY(look_at_rest({from, kAllMemory.end}));
    if (watched_ == nullptr && worth_ < kWorthBeginning) plan_.to_watch.clear();
    return std::move(plan_);
  }

 private:
  Status look_at_rest(PageRange range) {
    if (range.start >= range.end) return Ok{};
    SF_TRY_ASSIGN(std::vector<PageRange> changed, map_.changed(range));
    auto at = changed.begin();
    for (const MappingText& mapping : process_.mappings) {
      if (mapping.start < range.start || mapping.end > range.end || !is_private(mapping)) continue;
      while (at != changed.end() && at->end <= mapping.start) ++at;
      std::uint64_t size = 0;
      for (; at != changed.end() && at->start < mapping.end; ++at) {
        PageRange part{std::max(at->start, mapping.start), std::min(at->end, mapping.end)};
        plan_.copied.push_back(part);
        size += part.size();
        if (at->end > mapping.end) break;
      }
      bool can_be_watched = classify(mapping).kind == MappingKind::kAnonymous &&
                            !has(mapping, "gd") && !has(mapping, "lo") && !may_have_guards(mapping);
      if (size < kWorthWatching || !can_be_watched) continue;
      plan_.to_watch.push_back({mapping.start, mapping.end});
      worth_ += size;
    }
    return Ok{};
  }

  Status look_at_watched(const MappingText& mapping) {
    PageRange range{mapping.start, mapping.end};
    SF_TRY_ASSIGN(PageMap::Watched pages, map_.watched(range));
    plan_.copied.insert(plan_.copied.end(), pages.changed.begin(), pages.changed.end());
    // Saved content is still valid for pages that were not written since. If memory is served, a
    // missing page has yet to be loaded; otherwise it was dropped.
    if (mapping.served) {
      keep(without(watched_->backing.within(range), pages.written));
    } else {
      for (const PageRange& clean : pages.clean) keep(watched_->backing.within(clean));
    }
    plan_.watched.push_back(range);
    return Ok{};
  }

  void keep(const std::vector<Piece>& pieces) {
    plan_.kept.insert(plan_.kept.end(), pieces.begin(), pieces.end());
  }

  const ProcessFacts& process_;
  const PageMap& map_;
  const WatchedMemory* watched_;
  MemoryPlan plan_;
  std::uint64_t worth_ = 0;
};

std::vector<FileUse> uses_of(const std::vector<MemoryPlan>& plans) {
  std::vector<FileUse> uses;
  for (const MemoryPlan& plan : plans) {
    for (const Piece& piece : plan.kept) {
      auto use = std::ranges::find(uses, piece.file, &FileUse::file);
      if (use == uses.end()) use = uses.insert(uses.end(), {piece.file, piece.file->size(), 0});
      use->used += piece.size();
    }
  }
  return uses;
}

}  // namespace

ProcessName name_of(const ProcessFacts& process) {
  return {process.pid, process.stat().start_time};
}

void recognise_watched(TreeFacts& facts, MemoryWatches& watches) {
  auto lock = watches.lock();
  std::vector<ProcessName> watched;
  for (ProcessFacts& process : facts.processes) {
    if (process.ended() || watches.find(name_of(process)) == nullptr) continue;
    bool any = false;
    for (MappingText& mapping : process.mappings) {
      mapping.watched = has(mapping, "uw");
      mapping.served = has(mapping, "um");
      std::erase_if(mapping.flags,
                    [](const std::string& flag) { return flag == "uw" || flag == "um"; });
      any |= mapping.watched;
    }
    if (any) watched.push_back(name_of(process));  // otherwise it runs another program now
  }
  watches.keep_only(watched);
}

Result<MemoryPlan> plan_memory(const ProcessFacts& process, MemoryWatches& watches) {
  SF_TRY_ASSIGN(PageMap map, PageMap::open(process.pid));
  auto lock = watches.lock();
  SF_TRY_ASSIGN(MemoryPlan plan, Planner(process, map, watches.find(name_of(process))).run());
  SF_TRY_ASSIGN(plan.guards, find_guards(process, map));
  if (!plan.guards.empty()) plan.copied = without_guards(plan.copied, plan.guards);
  return plan;
}

Status write_memory(const TreeFacts& facts, const std::vector<MemoryPlan>& plans,
                    PagesWriter& writer, TreeImage& tree) {
  auto copied = choose_copied(uses_of(plans));
  for (std::size_t i = 0; i < plans.size(); ++i) {
    std::vector<Extent>& all = tree.processes[i].pages;
    for (const PageRange& range : plans[i].copied) all.push_back({range.start, range.size(), 0});
    Status written = writer.append_memory(facts.processes[i].pid, all);
    if (!written)
      return std::move(written).error().while_doing("memory of process " +
                                                    std::to_string(tree.processes[i].pid));
    for (const Piece& piece : plans[i].kept) {
      bool copy = std::ranges::find(copied, piece.file) != copied.end();
      std::optional<std::uint32_t> file = copy ? std::nullopt : writer.link(piece.file);
      if (file) {
        all.push_back({piece.start, piece.size(), piece.offset, *file});
        continue;
      }
      SF_TRY_ASSIGN(Extent extent, writer.append_piece(piece));
      all.push_back(extent);
    }
    std::ranges::sort(all, {}, &Extent::at);
  }
  tree.pages_files = writer.file_count();
  return Ok{};
}

void note_written(const ProcessFacts& process, const MemoryPlan& plan,
                  const std::vector<Extent>& pages, const PagesWriter& writer,
                  MemoryWatches& watches) {
  auto lock = watches.lock();
  WatchedMemory* watched = watches.find(name_of(process));
  if (watched == nullptr) return;
  std::vector<PageRange> mappings = plan.watched;
  writer.file()->keep_in(watches.directory());
  auto map = PageMap::open(process.pid);
  for (const PageRange& fresh : plan.to_watch) {
    bool begun = map && watched->fault.watch(fresh, UserFault::Purpose::kWatch);
    if (begun && map->protect(fresh)) mappings.push_back(fresh);
    if (begun && (mappings.empty() || mappings.back() != fresh)) watched->fault.forget(fresh);
  }
  std::ranges::sort(mappings, {}, &PageRange::start);
  auto mapping = mappings.begin();
  for (const PageRange& each : mappings) watched->backing.erase(each);
  for (const Extent& extent : pages) {
    while (mapping != mappings.end() && mapping->end <= extent.at) ++mapping;
    if (mapping == mappings.end()) break;
    if (extent.at < mapping->start) continue;
    watched->backing.put(
        {extent.at, extent.at + extent.size, writer.file(extent.file), extent.offset});
  }
  for (const PageRange& range : plan.watched)
    if (map) (void)map->protect(range);
}

}  // namespace sf::waypoint::native
