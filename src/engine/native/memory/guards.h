// Guard regions (MADV_GUARD_INSTALL): pages that nobody can touch, within any mapping.
//
// Saved: where they are; they have no content. A mapping that may have any says so (VmFlags "gu").
// Brought back: installed again when everything else is there. Memory with guards is brought back
// at once: a page that came late would come behind a guard that was removed, too.
#pragma once

#include <vector>

#include "base/result.h"
#include "engine/native/facts.h"
#include "engine/native/memory/page_map.h"
#include "engine/native/program/program_writer.h"

namespace sf::waypoint::native {

bool may_have_guards(const MappingText& mapping);
Result<std::vector<PageRange>> find_guards(const ProcessFacts& process, const PageMap& map);
// Pure. What of `ranges` is in none of the guards. Both in the order of their addresses.
std::vector<PageRange> without_guards(const std::vector<PageRange>& ranges,
                                      const std::vector<PageRange>& guards);
void install_guards(ProgramWriter& program, const ProcessImage& process);

}  // namespace sf::waypoint::native
