// OperationSummary: describes one change for the operation log. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "control/catalog.h"

namespace sf::store {

inline constexpr std::size_t kMaxDetail = 256;

struct OperationSummary {
  control::BranchId branch;  // the first branch that the change names; may be empty
  control::NodeId node;      // likewise; for a removal, the top of the subtree
  std::uint64_t bytes = 0;   // of the new physical snapshots
  std::string detail;        // "make test, exit code 2"; at most kMaxDetail bytes; any bytes
};

OperationSummary summarize(const control::Change& change);

}  // namespace sf::store
