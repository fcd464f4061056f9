// A session's own record as rows: one in `sessions`, and one in `settings` for each value of a list
// and for members that later versions may add. A missing setting has its default value.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "control/session_records.h"
#include "store/database.h"

namespace sf::store {

// Inserts or updates the session's record.
Status put_session(Database& db, const control::SessionRecord& session);

// Reads one row of `settings` into `session`. kCorrupt if this version does not know it.
Status read_setting(const std::string& kind, const std::string& name, std::string value,
                    control::SessionRecord& session);

}  // namespace sf::store
