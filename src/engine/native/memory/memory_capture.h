// The pages of a process on their way into an image: which are copied, and which an earlier image
// holds already.
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
  std::vector<Piece> kept;          // unchanged since they were written down
  std::vector<PageRange> watched;   // mappings
  std::vector<PageRange> to_watch;  // mappings that are large enough
  std::vector<PageRange> guards;
};

ProcessName name_of(const ProcessFacts& process);

// Which mappings are watched by `watches`; they are then mappings like any other to whoever judges.
// Forgets whoever is not among the processes any more.
void recognise_watched(TreeFacts& facts, MemoryWatches& watches);

Result<MemoryPlan> plan_memory(const ProcessFacts& process, MemoryWatches& watches);

// Writes the pages of all processes, of which there is a plan each.
Status write_memory(const TreeFacts& facts, const std::vector<MemoryPlan>& plans,
                    PagesWriter& writer, TreeImage& tree);

// From now on the image is what the memory is compared with. Nothing depends on it but time.
void note_written(const ProcessFacts& process, const MemoryPlan& plan,
                  const std::vector<Extent>& pages, const PagesWriter& writer,
                  MemoryWatches& watches);

}  // namespace sf::waypoint::native
