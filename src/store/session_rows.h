// A session's own record as rows: one of `sessions`, and one of `settings` for everything that may
// be many or may be added to later. What is not written there has its default.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "control/session_records.h"
#include "store/database.h"

namespace sf::store {

// Makes the session or brings its record up to date.
Status put_session(Database& db, const control::SessionRecord& session);

// One row of `settings`, put where it belongs. kCorrupt for one that this version does not know.
Status read_setting(const std::string& kind, const std::string& name, std::string value,
                    control::SessionRecord& session);

}  // namespace sf::store
