// Saves the pages of a process: some are copied into the image, others are already in an earlier
// image.
#pragma once

#include <vector>

#include "base/result.h"
#include "engine/native/facts.h"
#include "engine/native/image.h"
#include "engine/native/memory/backing.h"
#include "engine/native/memory/memory_watches.h"
#include "engine/native/memory/pages_file.h"

namespace sf::waypoint::native {

struct MemoryPlan {
  std::vector<PageRange> copied;    // from the process
  std::vector<Piece> kept;          // unchanged since they were last saved
  std::vector<PageRange> watched;   // mappings
  std::vector<PageRange> to_watch;  // mappings that are large enough
  std::vector<PageRange> guards;
};

ProcessName name_of(const ProcessFacts& process);

// Marks the mappings that `watches` watches, and removes the flags of the watch, so that the
// blockers do not see them. Forgets processes that are not in `facts`.
void recognise_watched(TreeFacts& facts, MemoryWatches& watches);

Result<MemoryPlan> plan_memory(const ProcessFacts& process, MemoryWatches& watches);

// Writes the pages of all processes. `plans` has one plan per process.
Status write_memory(const TreeFacts& facts, const std::vector<MemoryPlan>& plans,
                    PagesWriter& writer, TreeImage& tree);

// From now on, captures compare the memory with this image. A failure only makes them slower.
void note_written(const ProcessFacts& process, const MemoryPlan& plan,
                  const std::vector<Extent>& pages, const PagesWriter& writer,
                  MemoryWatches& watches);

}  // namespace sf::waypoint::native
