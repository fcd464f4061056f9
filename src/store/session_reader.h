// Reads sessions from the tables.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "control/session_records.h"
#include "store/database.h"

namespace sf::store {

// A session with contradictory rows: the data needed to list it and to remove it.
struct UnreadableSession {
  std::int64_t key = 0;    // of its rows; 0 if the session is found by its id
  bool has_record = true;  // false: no row of `sessions` has this key
  // The readable part of the record. If the id is unusable, it is "lost-KEY".
  control::SessionRecord session;
  std::vector<control::BranchHandle> branches;
  std::vector<control::PhysicalRef> physical;
  Error why;
};

// `image`: the readable part.
UnreadableSession unreadable(const control::SessionImage& image, Error why);

struct LoadedSessions {
  std::vector<control::SessionImage> images;  // the oldest first
  std::vector<UnreadableSession> unreadable;
  std::size_t strays = 0;  // rows of logs and notes without a node or branch

  // If true, an object without a record is garbage. If false, a lost record may have named it.
  bool is_whole() const { return unreadable.empty() && strays == 0; }
};

// Fails if SQLite cannot read the tables. A session with inconsistent rows is not a failure.
Result<LoadedSessions> read_sessions(Database& db);

}  // namespace sf::store
