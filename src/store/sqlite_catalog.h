// SqliteCatalog: all sessions of a host in one SQLite file, and the log of every operation. When
// append() has returned, a kill cannot undo the change.
// Example (src/store/sqlite_catalog_test.cc):
//
//   ASSERT_OK_AND_ASSIGN(catalog, SqliteCatalog::open(dir / "catalog.sqlite"));
//   ...
//   return catalog->append({.session = kSession,
//                           .operation = "test",
//                           .counters = counters,
//                           .edits = std::move(edits)});
//   ...
//   SessionImage loaded() { return catalog->load_all().value().front(); }
//
// On a full disk, removals, small commands and restores are still recorded: space is reserved for
// them (space_reserve.h, space_reserve_rule.h).
//
// The tables: docs/formats/catalog.md. Thread-safe: calls run one at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.h"
#include "control/catalog.h"
#include "control/materialization_policy.h"
#include "store/catalog_file.h"
#include "store/session_reader.h"
#include "store/space_reserve.h"
#include "store/space_reserve_rule.h"

namespace sf::store {

// A row of the operation log.
struct OperationRecord {
  std::uint64_t sequence = 0;  // increases over all sessions; never reused
  control::WallTime at;
  control::SessionId session;
  std::string operation;     // "snapshot"
  control::BranchId branch;  // may be empty; so may the node
  control::NodeId node;
  microseconds took{0};
  std::uint64_t bytes = 0;  // of the new physical snapshots
  std::string detail;       // one line for people; not always UTF-8

  friend bool operator==(const OperationRecord&, const OperationRecord&) = default;
};

struct OperationQuery {
  static constexpr std::size_t kMostAtOnce = 10'000;
  enum class Which { kOldest, kNewest };

  control::SessionId session;  // empty: all sessions, including ended ones
  std::uint64_t after = 0;     // only higher sequence numbers
  std::size_t limit = 1000;    // at most kMostAtOnce
  Which which = Which::kOldest;
};

class SqliteCatalog final : public control::Catalog {
 public:
  // Creates the file if it does not exist. Errors: see open_catalog_file().
  static Result<std::unique_ptr<SqliteCatalog>> open(const std::string& path);

  // Writes the tables and one row of the operation log in one transaction. kNotFound or
  // kInvalidArgument if the change contradicts the tables.
  Status append(const control::Change& change) override;

  // Loads all sessions, oldest first, with their nodes in order of creation. Sessions with
  // inconsistent rows are returned as unreadable. Rows without a node or branch are deleted.
  Result<LoadedSessions> load_sessions();
  // Like load_sessions(), but fails with kCorrupt if a session is unreadable.
  Result<std::vector<control::SessionImage>> load_all();
  // Deletes an unreadable session from all tables.
  Status remove_unreadable(const UnreadableSession& session, control::WallTime now);
  // The newest CostModel::kWindow costs of the backend's physical snapshots, oldest first.
  Result<std::vector<control::CostSample>> measured_costs(const std::string& backend);
  // Always in ascending order of sequence numbers.
  Result<std::vector<OperationRecord>> operations(const OperationQuery& query);
  // Deletes all but the newest `keep` rows of the operation log. Returns the number of deleted
  // rows.
  Result<std::uint64_t> trim_operations(std::uint64_t keep);

 private:
  SqliteCatalog(CatalogFile file, ReserveFile reserve);

  // Runs `work`. While it fails because the disk is full, releases reserved space and retries.
  Status with_reserve(ReserveUse use, const std::function<Status()>& work);
  Status write(const control::Change& change);
  // Prevents that a new record gets the key of a lost one, and so its rows.
  Status keep_apart(const LoadedSessions& loaded);
  // Calls keep_apart(). If the disk is too full, append() retries it before a new record gets a
  // key.
  Status mend(const LoadedSessions& loaded);
  Status drop_strays();
  Status strike_out(const UnreadableSession& session, control::WallTime now);
  Result<Rows> find_operations(const OperationQuery& query);

  std::mutex mutex_;
  CatalogFile file_;
  ReserveFile reserve_;
  LogSpace log_;
  bool is_unmended_ = false;  // keep_apart() has not succeeded yet
};

}  // namespace sf::store
