// SqliteCatalog: all sessions of a host in one SQLite file, and the log of every operation.
//
//   auto catalog = SqliteCatalog::open(store + "/catalog.sqlite").value();
//   for (SessionImage& image : catalog->load_all().value()) ...
//   catalog->append(change);   // durable over a kill of this process when it returns
//
// On a full disk, what takes something away, small commands and restores are still recorded: space
// is set aside for them (reserve_file.h, reserve_rule.h).
//
// The tables: docs/formats/catalog.md. Thread-safe: calls take turns.
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
#include "store/reserve_file.h"
#include "store/reserve_rule.h"
#include "store/session_reader.h"

namespace sf::store {

// One change, as the operation log tells it.
struct OperationRecord {
  std::uint64_t sequence = 0;  // ever growing, over all sessions; never used twice
  control::WallTime at;
  control::SessionId session;
  std::string operation;     // "snapshot"
  control::BranchId branch;  // may be empty, as may the node
  control::NodeId node;
  microseconds took{0};
  std::uint64_t bytes = 0;  // of physical snapshots that were made
  std::string detail;       // one line for people; not always UTF-8

  friend bool operator==(const OperationRecord&, const OperationRecord&) = default;
};

struct OperationQuery {
  static constexpr std::size_t kMostAtOnce = 10'000;
  enum class Which { kOldest, kNewest };

  control::SessionId session;  // empty: of all sessions, ended ones included
  std::uint64_t after = 0;     // only higher sequence numbers
  std::size_t limit = 1000;    // at most kMostAtOnce
  Which which = Which::kOldest;
};

class SqliteCatalog final : public control::Catalog {
 public:
  // Makes the file when there is none. Errors: see open_catalog_file().
  static Result<std::unique_ptr<SqliteCatalog>> open(const std::string& path);

  // One transaction: the tables and one row of the operation log, or nothing. kNotFound or
  // kInvalidArgument when the change contradicts what is there.
  Status append(const control::Change& change) override;

  // Every session, the oldest first, each with its nodes in the order they were made. Those whose
  // rows do not make sense are listed apart. Rows that belong to no node or branch are dropped.
  Result<LoadedSessions> load_sessions();
  // The same for a caller that needs all of them: kCorrupt if one cannot be read.
  Result<std::vector<control::SessionImage>> load_all();
  // Strikes a session that cannot be read from all tables.
  Status remove_unreadable(const UnreadableSession& session, control::WallTime now);
  // What the backend's physical snapshots cost, oldest first: the newest CostModel::kWindow.
  Result<std::vector<control::CostSample>> measured_costs(const std::string& backend);
  // In the order of their sequence, whichever were asked for.
  Result<std::vector<OperationRecord>> operations(const OperationQuery& query);
  // Drops all but the newest `keep` rows of the operation log. Returns how many went.
  Result<std::uint64_t> trim_operations(std::uint64_t keep);

 private:
  SqliteCatalog(CatalogFile file, ReserveFile reserve);

  // Does it again with space that was set aside, as long as the disk is full and there is some.
  Status with_reserve(ReserveUse use, const std::function<Status()>& work);
  Status write(const control::Change& change);
  // Keeps what is to be recorded from getting the keys of what was lost, and so its rows.
  Status keep_apart(const LoadedSessions& loaded);
  // The same; if the disk is too full for it, it is done before anything new gets a key.
  Status mend(const LoadedSessions& loaded);
  Status drop_strays();
  Status strike_out(const UnreadableSession& session, control::WallTime now);
  Result<Rows> find_operations(const OperationQuery& query);

  std::mutex mutex_;
  CatalogFile file_;
  ReserveFile reserve_;
  LogSpace log_;
  bool is_unmended_ = false;  // lost rows could not be kept apart yet
};

}  // namespace sf::store
