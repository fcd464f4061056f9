// Memory of a process.
//
// Saved: every mapping with its protection, flags and advice; of private ones the pages that differ
// from the file behind them (or from zero), see memory_capture.h; the bounds that the kernel
// keeps (PR_SET_MM_MAP), the auxiliary vector, the program's file. Brought back: by the process
// itself at the old addresses, pages read from the image, the vDSO mapped where it was. Declined
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
  std::uint64_t kept_start = 0;  // what programs live in: stays until the tracer removes it
  std::uint64_t kept_end = 0;
  FdLocations files;
  bool lazy = false;  // pages of lazy_mappings() are left out
};
// All memory but the programs.
void remove_memory(ProgramWriter& program, const MemoryLocations& locations);

// Pure. Mappings whose pages are brought when they are touched (memory_watches.h): they are large,
// and nothing touches them before the process goes on.
std::vector<PageRange> lazy_mappings(const ProcessImage& process);
// Pure. Mappings of such a process that are brought back at once and are worth watching from the
// start.
std::vector<PageRange> watched_mappings(const ProcessImage& process);
// A userfaultfd for the engine to take, in the place of the first pages file.
void offer_user_fault(ProgramWriter& program, const FdLocations& locations);

// The files that are mapped, for all processes: opened once, inherited by everybody.
void open_mapped_files(ProgramWriter& program, const TreeImage& tree, const FdLocations& locations);

// Requires: nothing of the memory that remove_memory() left is in the way.
void bring_back_memory(ProgramWriter& program, const ProcessImage& process, const TreeImage& tree,
                       const MemoryLocations& locations);

}  // namespace sf::waypoint::native
