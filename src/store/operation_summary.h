// OperationSummary: what one change was about, for the operation log. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "control/catalog.h"

namespace sf::store {

inline constexpr std::size_t kMaxDetail = 256;

struct OperationSummary {
  control::BranchId branch;  // the first that the change touched; may be empty
  control::NodeId node;      // likewise; of a removal, the top of the subtree
  std::uint64_t bytes = 0;   // of the physical snapshots that were made
  std::string detail;        // "make test, exit code 2"; at most kMaxDetail bytes, of any kind
};

OperationSummary summarize(const control::Change& change);

}  // namespace sf::store
