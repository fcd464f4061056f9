#include "store/log_rows.h"

#include <string>

namespace sf::store {

using control::EntryKind;
using control::LogEntry;

namespace {

// The numbers on disk. They must not change, even if the enum is reordered.
int number_of(EntryKind kind) {
  switch (kind) {
    case EntryKind::kCommand:
      return 1;
    case EntryKind::kWriteFile:
      return 2;
    case EntryKind::kResize:
      return 3;
    case EntryKind::kKeys:
      return 4;
    case EntryKind::kSide:
      return 5;
    case EntryKind::kUnproven:
      return 6;
  }
  SF_CHECK(false);
}

Result<EntryKind> kind_of(std::int64_t number) {
  for (EntryKind kind : {EntryKind::kCommand, EntryKind::kWriteFile, EntryKind::kResize,
                         EntryKind::kKeys, EntryKind::kSide, EntryKind::kUnproven}) {
    if (number_of(kind) == number) return kind;
  }
  return fail(ErrorCode::kCorrupt, "a log entry has the unknown kind " + std::to_string(number));
}

#define SF_ENTRY_COLUMNS                                                                  \
  "owner, position, kind, timeout_ms, max_output, exit_code, output_hash, output_bytes, " \
  "duration_us, timed_out, shell_restarted, left_background, diverged_before, "           \
  "outcome_unknown, content_dropped, text, content, output_excerpt"
#define SF_ENTRY_VALUES " VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"

}  // namespace

Status put_entry(Database& db, LogOf kind, std::int64_t owner, std::size_t position,
                 const LogEntry& entry) {
  const char* sql = kind == LogOf::kNode ? "INSERT OR REPLACE INTO node_log(" SF_ENTRY_COLUMNS
                                           ")" SF_ENTRY_VALUES
                                         : "INSERT OR REPLACE INTO pending_log(" SF_ENTRY_COLUMNS
                                           ")" SF_ENTRY_VALUES;
  // Names every member, so that the compiler reports a new one.
  const auto& [entry_kind, text, content, timeout, max_output, exit_code, output_hash, output_bytes,
               excerpt, duration, timed_out, shell_restarted, left_background, diverged_before,
               outcome_unknown, content_dropped] = entry;
  SF_TRY(db.run(sql, owner, position, number_of(entry_kind), timeout.count(), max_output, exit_code,
                output_hash, output_bytes, duration.count(), timed_out, shell_restarted,
                left_background, diverged_before, outcome_unknown, content_dropped, Blob{text},
                Blob{content}, Blob{excerpt}));
  return Ok{};
}

Result<Rows> all_entries(Database& db, LogOf kind) {
  return kind == LogOf::kNode
             ? db.query("SELECT " SF_ENTRY_COLUMNS " FROM node_log ORDER BY owner, position")
             : db.query("SELECT " SF_ENTRY_COLUMNS " FROM pending_log ORDER BY owner, position");
}

Result<LogEntry> read_entry(const Rows& row) {
  SF_TRY_ASSIGN(EntryKind kind, kind_of(row.integer(2)));
  return LogEntry{.kind = kind,
                  .text = row.bytes(15),
                  .content = row.bytes(16),
                  .timeout = milliseconds(row.integer(3)),
                  .max_output = row.word(4),
                  .exit_code = static_cast<int>(row.integer(5)),
                  .output_hash = row.word(6),
                  .output_bytes = row.word(7),
                  .output_excerpt = row.bytes(17),
                  .duration = microseconds(row.integer(8)),
                  .timed_out = row.integer(9) != 0,
                  .shell_restarted = row.integer(10) != 0,
                  .left_background = row.integer(11) != 0,
                  .diverged_before = row.integer(12) != 0,
                  .outcome_unknown = row.integer(13) != 0,
                  .content_dropped = row.integer(14) != 0};
}

}  // namespace sf::store
