// Log entries as rows, one each: of a node, or of what is pending on a branch.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "control/command_log.h"
#include "store/database.h"

namespace sf::store {

enum class LogOf { kNode, kBranch };

// `owner` is the key of a node or a branch. An entry that is there already is replaced.
Status put_entry(Database& db, LogOf kind, std::int64_t owner, std::size_t position,
                 const control::LogEntry& entry);

// All entries of all owners of this kind: owner in column 0, ordered by it and by position.
Result<Rows> all_entries(Database& db, LogOf kind);
// Requires: the row is one of all_entries().
Result<control::LogEntry> read_entry(const Rows& row);

}  // namespace sf::store
