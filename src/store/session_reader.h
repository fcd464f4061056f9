// From the tables back to sessions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "control/session_records.h"
#include "store/database.h"

namespace sf::store {

// A session whose rows contradict each other: what is needed to list it and to remove it.
struct UnreadableSession {
  std::int64_t key = 0;    // of its rows; 0: found by its id
  bool has_record = true;  // false: no row of `sessions` has this key
  // As far as it could be read. The id is "lost-KEY" if there is none that a user could type.
  control::SessionRecord session;
  std::vector<control::BranchHandle> branches;
  std::vector<control::PhysicalRef> physical;
  Error why;
};

// `image`: what could be read of it.
UnreadableSession unreadable(const control::SessionImage& image, Error why);

struct LoadedSessions {
  std::vector<control::SessionImage> images;  // the oldest first
  std::vector<UnreadableSession> unreadable;
  std::size_t strays = 0;  // rows of logs and notes whose node or branch is not there

  // Then what no record names is garbage. Else a record that was lost may have named it.
  bool is_whole() const { return unreadable.empty() && strays == 0; }
};

// Fails if SQLite cannot read the tables. A session whose rows do not make sense is no failure.
Result<LoadedSessions> read_sessions(Database& db);

}  // namespace sf::store
