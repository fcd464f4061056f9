// Guard regions (MADV_GUARD_INSTALL): pages within a mapping that fault on every access.
//
// Saved: their addresses; they have no content. VmFlags "gu" marks a mapping that may have some.
// Restored: installed after everything else is in place. Memory with guards is not loaded on
// demand: if the process removed a guard, a page that is loaded later would appear there too.
#pragma once

#include <vector>

#include "base/result.h"
#include "engine/native/facts.h"
#include "engine/native/memory/page_map.h"
#include "engine/native/program/program_writer.h"

namespace sf::waypoint::native {

bool may_have_guards(const MappingText& mapping);
Result<std::vector<PageRange>> find_guards(const ProcessFacts& process, const PageMap& map);
// Pure. The parts of `ranges` that are in no guard. Both are in address order.
std::vector<PageRange> without_guards(const std::vector<PageRange>& ranges,
                                      const std::vector<PageRange>& guards);
void install_guards(ProgramWriter& program, const ProcessImage& process);

}  // namespace sf::waypoint::native
