#include "store/schema.h"

#include <array>
#include <string>

namespace sf::store {
namespace {

// Unsigned numbers keep their 64 bits. Names of durations and times end in their unit. Names and
// ids are text. Everything that a user can type or print is a blob.
constexpr const char* kVersion1 = R"sql(
CREATE TABLE sessions(
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  backend TEXT NOT NULL,
  policy TEXT NOT NULL,
  created_us INTEGER NOT NULL,
  next_node INTEGER NOT NULL DEFAULT 0,
  next_branch INTEGER NOT NULL DEFAULT 1
);
CREATE TABLE settings(
  session INTEGER NOT NULL REFERENCES sessions(key) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  name BLOB NOT NULL,
  value BLOB NOT NULL,
  PRIMARY KEY(session, kind, name)
) WITHOUT ROWID;

CREATE TABLE nodes(
  key INTEGER PRIMARY KEY,
  session INTEGER NOT NULL REFERENCES sessions(key) ON DELETE CASCADE,
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  parent INTEGER REFERENCES nodes(key),
  origin TEXT NOT NULL,
  unchanged INTEGER NOT NULL,
  created_us INTEGER NOT NULL,
  physical_ref TEXT,
  physical_bytes INTEGER NOT NULL DEFAULT 0,
  physical_memory INTEGER NOT NULL DEFAULT 0,
  physical_took_us INTEGER NOT NULL DEFAULT 0,
  physical_stopped_us INTEGER NOT NULL DEFAULT 0,
  UNIQUE(session, id)
);
CREATE INDEX nodes_by_parent ON nodes(parent);
CREATE UNIQUE INDEX nodes_by_name ON nodes(session, name) WHERE name <> '';
CREATE UNIQUE INDEX one_root ON nodes(session) WHERE parent IS NULL;
CREATE TABLE notes(
  node INTEGER NOT NULL REFERENCES nodes(key) ON DELETE CASCADE,
  name BLOB NOT NULL,
  value BLOB NOT NULL,
  UNIQUE(node, name)
);

CREATE TABLE branches(
  key INTEGER PRIMARY KEY,
  session INTEGER NOT NULL REFERENCES sessions(key) ON DELETE CASCADE,
  id TEXT NOT NULL,
  node INTEGER NOT NULL REFERENCES nodes(key),
  handle TEXT NOT NULL,
  alive INTEGER NOT NULL,
  created_us INTEGER NOT NULL,
  UNIQUE(session, id)
);
CREATE INDEX branches_by_node ON branches(node);

CREATE TABLE node_log(
  owner INTEGER NOT NULL REFERENCES nodes(key) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  timeout_ms INTEGER NOT NULL,
  max_output INTEGER NOT NULL,
  exit_code INTEGER NOT NULL,
  output_hash INTEGER NOT NULL,
  output_bytes INTEGER NOT NULL,
  duration_us INTEGER NOT NULL,
  timed_out INTEGER NOT NULL,
  shell_restarted INTEGER NOT NULL,
  left_background INTEGER NOT NULL,
  diverged_before INTEGER NOT NULL,
  outcome_unknown INTEGER NOT NULL,
  content_dropped INTEGER NOT NULL,
  text BLOB NOT NULL,
  content BLOB NOT NULL,
  output_excerpt BLOB NOT NULL,
  UNIQUE(owner, position)
);
CREATE TABLE pending_log(
  owner INTEGER NOT NULL REFERENCES branches(key) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  timeout_ms INTEGER NOT NULL,
  max_output INTEGER NOT NULL,
  exit_code INTEGER NOT NULL,
  output_hash INTEGER NOT NULL,
  output_bytes INTEGER NOT NULL,
  duration_us INTEGER NOT NULL,
  timed_out INTEGER NOT NULL,
  shell_restarted INTEGER NOT NULL,
  left_background INTEGER NOT NULL,
  diverged_before INTEGER NOT NULL,
  outcome_unknown INTEGER NOT NULL,
  content_dropped INTEGER NOT NULL,
  text BLOB NOT NULL,
  content BLOB NOT NULL,
  output_excerpt BLOB NOT NULL,
  UNIQUE(owner, position)
);

CREATE TABLE costs(
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  backend TEXT NOT NULL,
  memory_bytes INTEGER NOT NULL,
  took_us INTEGER NOT NULL
);
CREATE INDEX costs_by_backend ON costs(backend, sequence);
CREATE TABLE diverged_commands(
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  session INTEGER NOT NULL REFERENCES sessions(key) ON DELETE CASCADE,
  hash INTEGER NOT NULL,
  UNIQUE(session, hash)
);

CREATE TABLE operations(
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  at_us INTEGER NOT NULL,
  session TEXT NOT NULL,
  operation TEXT NOT NULL,
  branch TEXT NOT NULL,
  node TEXT NOT NULL,
  took_us INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  detail BLOB NOT NULL
);
CREATE INDEX operations_by_session ON operations(session, sequence);
CREATE TRIGGER operations_are_not_rewritten BEFORE UPDATE ON operations
BEGIN SELECT raise(ABORT, 'the operation log is append-only'); END;
)sql";

// Adds settings of kind "term". The tables are unchanged; the new version keeps older programs from
// reading them.
constexpr const char* kVersion2 = "";

// Adds the proof of a replay. It is unknown whether older nodes were quiet.
constexpr const char* kVersion3 = R"sql(
ALTER TABLE nodes ADD COLUMN quiet INTEGER NOT NULL DEFAULT 0;
ALTER TABLE nodes ADD COLUMN proof_digest TEXT;
ALTER TABLE nodes ADD COLUMN proof_since TEXT;
)sql";

constexpr std::array<SchemaStep, 3> kSteps = {{{1, kVersion1}, {2, kVersion2}, {3, kVersion3}}};

Status take_step(Database& db, const SchemaStep& step) {
  SF_TRY_ASSIGN(Transaction transaction, Transaction::begin(db));
  SF_TRY(db.script(step.sql));
  SF_TRY(db.script(("PRAGMA user_version = " + std::to_string(step.version)).c_str()));
  return std::move(transaction).commit();
}

}  // namespace

std::span<const SchemaStep> schema_steps() { return kSteps; }

Result<int> schema_version(Database& db) {
  SF_TRY_ASSIGN(std::optional<std::int64_t> version, db.number("PRAGMA user_version"));
  return static_cast<int>(version.value_or(0));
}

Status migrate(Database& db, std::span<const SchemaStep> steps) {
  SF_TRY_ASSIGN(int version, schema_version(db));
  if (int newest = steps.back().version; version > newest)
    return fail(ErrorCode::kUnsupported,
                db.path() + " has version " + std::to_string(version) +
                    ", but this program supports at most " + std::to_string(newest),
                "a newer statefork wrote it: use that version");
  for (const SchemaStep& step : steps) {
    if (step.version <= version) continue;
    Status taken = take_step(db, step);
    if (!taken)
      return std::move(taken).error().while_doing("upgrading the catalog to version " +
                                                  std::to_string(step.version));
  }
  return Ok{};
}

}  // namespace sf::store
