// Memory of a process.
//
// Saved: every mapping with its protection, flags and advice; of private mappings the pages that
// differ from the file behind them, or from zero (memory_capture.h); the bounds that the kernel
// keeps (PR_SET_MM_MAP), the auxiliary vector, the program's file. Restored: by the process itself
// at the old addresses. It reads pages from the image and maps the vDSO where it was. Declined
// (classify.h): devices, userfaultfd, huge page files.
#pragma once

#include "base/result.h"
#include "engine/native/facts.h"
#include "engine/native/files/fd_locations.h"
#include "engine/native/files/inodes.h"
#include "engine/native/image.h"
#include "engine/native/memory/page_map.h"
#include "engine/native/program/program_writer.h"

namespace sf::waypoint::native {

// Fills mappings and layout; adds to `tree.mapped`. Requires: no blocker among the facts.
Status describe_memory(const ProcessFacts& facts, ProcessImage& process, TreeImage& tree,
                       InodeCapture& inodes);

struct MemoryLocations {
  std::uint64_t kept_start = 0;  // memory of the restore programs; the tracer removes it
  std::uint64_t kept_end = 0;
  FdLocations files;
  bool lazy = false;  // leave out the pages of lazy_mappings()
};
// Unmaps all memory except the restore programs.
void remove_memory(ProgramWriter& program, const MemoryLocations& locations);

// Pure. Mappings with pages that are loaded on demand (memory_watches.h): they are large, and the
// kernel does not touch them before the process resumes.
std::vector<PageRange> lazy_mappings(const ProcessImage& process);
// Pure. Mappings of such a process that are loaded at once and are worth watching from the start.
std::vector<PageRange> watched_mappings(const ProcessImage& process);
// Creates a userfaultfd for the engine, at the number of the first pages file.
void offer_user_fault(ProgramWriter& program, const FdLocations& locations);

// Opens the mapped files of all processes once; every process inherits them.
void open_mapped_files(ProgramWriter& program, const TreeImage& tree, const FdLocations& locations);

// Requires: the memory that remove_memory() left does not overlap the captured mappings.
void bring_back_memory(ProgramWriter& program, const ProcessImage& process, const TreeImage& tree,
                       const MemoryLocations& locations);

}  // namespace sf::waypoint::native
