// Memory of a process.
//
// Saved: every mapping with its protection, flags and advice; of private ones the pages that differ
// from the file behind them (or from zero), found with PAGEMAP_SCAN; the bounds that the kernel
// keeps (PR_SET_MM_MAP), the auxiliary vector, the program's file. Brought back: by the process
// itself at the old addresses, pages read from the image, the vDSO mapped where it was. Declined
// (kinds.h): devices, System V shared memory, guard regions, userfaultfd, huge page files.
#pragma once

#include "base/result.h"
#include "waypoint/native/facts.h"
#include "waypoint/native/file_places.h"
#include "waypoint/native/image.h"
#include "waypoint/native/inodes.h"
#include "waypoint/native/pages_file.h"
#include "waypoint/native/program_writer.h"

namespace sf::waypoint::native {

// Fills mappings and layout; adds to `tree.mapped`. Requires: no blocker among the facts.
Status describe_memory(const ProcessFacts& facts, ProcessImage& process, TreeImage& tree,
                       InodeCapture& inodes);
Status capture_pages(pid_t pid, ProcessImage& process, PagesWriter& pages);

struct MemoryPlaces {
  std::uint64_t kept_start = 0;  // what programs live in: stays until the tracer removes it
  std::uint64_t kept_end = 0;
  FilePlaces files;
};
// Replaces all memory of the process that runs it.
void bring_back_memory(ProgramWriter& program, const ProcessImage& process, const TreeImage& tree,
                       const MemoryPlaces& places);

}  // namespace sf::waypoint::native
