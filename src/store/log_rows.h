// Log entries as rows: entries of a node, or pending entries of a branch.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "control/command_log.h"
#include "store/database.h"

namespace sf::store {

enum class LogOf { kNode, kBranch };

// Inserts or replaces an entry. `owner` is the key of a node or a branch.
Status put_entry(Database& db, LogOf kind, std::int64_t owner, std::size_t position,
                 const control::LogEntry& entry);

// All entries of this kind, ordered by owner (column 0) and position.
Result<Rows> all_entries(Database& db, LogOf kind);
// Requires: the row comes from all_entries().
Result<control::LogEntry> read_entry(const Rows& row);

}  // namespace sf::store
