// From the tables back to sessions.
#pragma once

#include <vector>

#include "base/result.h"
#include "control/session_records.h"
#include "store/database.h"

namespace sf::store {

// All sessions, the oldest first. kCorrupt when the rows do not make sense.
Result<std::vector<control::SessionImage>> read_sessions(Database& db);

}  // namespace sf::store
