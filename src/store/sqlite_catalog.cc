#include "store/sqlite_catalog.h"

#include <algorithm>
#include <utility>

#include "control/cost_model.h"
#include "store/edit_writer.h"
#include "store/operation_summary.h"
#include "store/session_reader.h"

namespace sf::store {

using control::Change;
using control::CostSample;

namespace {

#define SF_OPERATION_COLUMNS                                                               \
  "SELECT sequence, at_us, session, operation, branch, node, took_us, bytes, detail FROM " \
  "operations "

constexpr std::uint64_t kMostReserve = 16U << 20U;
constexpr std::uint64_t kMostLogAhead = 8U << 20U;
constexpr std::uint64_t kLargest = 1ULL << 62U;  // SQLite's integers are signed

OperationRecord read_operation(const Rows& row) {
  return {.sequence = row.word(0),
          .at = control::WallTime(microseconds(row.integer(1))),
          .session = control::SessionId(row.bytes(2)),
          .operation = row.bytes(3),
          .branch = control::BranchId(row.bytes(4)),
          .node = control::NodeId(row.bytes(5)),
          .took = microseconds(row.integer(6)),
          .bytes = row.word(7),
          .detail = row.bytes(8)};
}

}  // namespace

Result<std::unique_ptr<SqliteCatalog>> SqliteCatalog::open(const std::string& path) {
  ReserveFile reserve(path + ".reserve", kMostReserve);
  Result<CatalogFile> file = open_catalog_file(path);
  if (!file && file.error().code == ErrorCode::kNoSpace && reserve.release(reserve.size() / 2))
    file = open_catalog_file(path);
  if (!file) return std::move(file).error();
  return std::unique_ptr<SqliteCatalog>(new SqliteCatalog(std::move(*file), std::move(reserve)));
}

SqliteCatalog::SqliteCatalog(CatalogFile file, ReserveFile reserve)
    : file_(std::move(file)),
      reserve_(std::move(reserve)),
      log_(file_.db.path() + "-wal", bearable_reserve(file_.db.path(), kMostLogAhead)) {
  log_.hold();
  reserve_.fill();
}

Status SqliteCatalog::with_reserve(ReserveUse use, const std::function<Status()>& work) {
  Status done = work();
  auto is_full = [&] { return !done && done.error().code == ErrorCode::kNoSpace; };
  if (done) reserve_.fill();
  if (is_full()) {
    // After this, the log is overwritten from its beginning and needs no new space.
    (void)file_.db.script("PRAGMA wal_checkpoint(RESTART)").ok();
    done = work();
  }
  while (is_full() && use != ReserveUse::kNone) {
    const std::uint64_t least = use == ReserveUse::kAll ? 0 : reserve_.size() / 2;
    const std::uint64_t part = reserve_.size() / 8;
    const std::uint64_t rest = reserve_.held() > part ? reserve_.held() - part : 0;
    if (!reserve_.release(std::max(least, rest))) break;
    log_.extend(part);  // so that no other program uses the space
    done = work();
  }
  return done;
}

Status SqliteCatalog::append(const Change& change) {
  std::lock_guard lock(mutex_);
  if (is_unmended_ && reserve_use(change) == ReserveUse::kNone) {
    SF_TRY_ASSIGN(LoadedSessions loaded, read_sessions(file_.db));
    SF_TRY(mend(loaded));
  }
  Status written = with_reserve(reserve_use(change), [&] { return write(change); });
  if (written) return written;
  return std::move(written).error().while_doing("recording " + change.operation + " of session " +
                                                change.session.value());
}

Status SqliteCatalog::write(const Change& change) {
  const auto& [session, operation, at, took, counters, edits] = change;
  SF_TRY_ASSIGN(Transaction transaction, Transaction::begin(file_.db));
  EditWriter writer(file_.db, session);
  for (const control::Edit& edit : edits) SF_TRY(writer.write(edit));
  SF_TRY(writer.write_counters(counters));
  OperationSummary summary = summarize(change);
  SF_TRY(file_.db.run(
      "INSERT INTO operations(at_us, session, operation, branch, node, took_us, "
      "bytes, detail) VALUES(?,?,?,?,?,?,?,?)",
      at.time_since_epoch().count(), session.value(), operation, summary.branch.value(),
      summary.node.value(), took.count(), summary.bytes, Blob{summary.detail}));
  return std::move(transaction).commit();
}

Result<LoadedSessions> SqliteCatalog::load_sessions() {
  std::lock_guard lock(mutex_);
  SF_TRY_ASSIGN(LoadedSessions loaded, read_sessions(file_.db));
  if (loaded.is_whole()) return loaded;
  Status apart = mend(loaded);
  if (!apart && apart.error().code != ErrorCode::kNoSpace) return std::move(apart).error();
  return loaded;
}

Status SqliteCatalog::mend(const LoadedSessions& loaded) {
  Status apart = with_reserve(ReserveUse::kAll, [&] { return keep_apart(loaded); });
  is_unmended_ = !apart.ok();
  if (!apart) return std::move(apart).error().while_doing("repairing the catalog");
  return apart;
}

Status SqliteCatalog::keep_apart(const LoadedSessions& loaded) {
  SF_TRY_ASSIGN(Transaction transaction, Transaction::begin(file_.db));
  for (const UnreadableSession& lost : loaded.unreadable) {
    if (lost.has_record) continue;
    SF_TRY(
        file_.db.run("INSERT INTO sessions(key, id, name, backend, policy, created_us) "
                     "VALUES(?,?,'','','',0)",
                     lost.key, lost.session.id.value()));
  }
  SF_TRY(drop_strays());
  return std::move(transaction).commit();
}

Status SqliteCatalog::drop_strays() {
  SF_TRY(file_.db.run("DELETE FROM notes WHERE node NOT IN (SELECT key FROM nodes)"));
  SF_TRY(file_.db.run("DELETE FROM node_log WHERE owner NOT IN (SELECT key FROM nodes)"));
  SF_TRY(file_.db.run("DELETE FROM pending_log WHERE owner NOT IN (SELECT key FROM branches)"));
  return Ok{};
}

Result<std::vector<control::SessionImage>> SqliteCatalog::load_all() {
  SF_TRY_ASSIGN(LoadedSessions loaded, load_sessions());
  if (!loaded.unreadable.empty()) return std::move(loaded.unreadable.front().why);
  if (loaded.strays != 0)
    return fail(ErrorCode::kCorrupt, file_.db.path() + ": records name nodes that do not exist");
  return std::move(loaded.images);
}

Status SqliteCatalog::remove_unreadable(const UnreadableSession& session, control::WallTime now) {
  std::lock_guard lock(mutex_);
  Status removed = with_reserve(ReserveUse::kAll, [&] { return strike_out(session, now); });
  if (removed) return removed;
  return std::move(removed).error().while_doing("removing session " + session.session.id.value());
}

Status SqliteCatalog::strike_out(const UnreadableSession& session, control::WallTime now) {
  const std::string& id = session.session.id.value();
  SF_TRY_ASSIGN(Transaction transaction, Transaction::begin(file_.db));
  std::int64_t key = session.key;
  if (key == 0) {
    SF_TRY_ASSIGN(std::optional<std::int64_t> found,
                  file_.db.number("SELECT key FROM sessions WHERE id = ?", id));
    if (!found) return fail(ErrorCode::kNotFound, "no session " + id + " in the catalog");
    key = *found;
  }
  // Deletes from each table, because the rows may not refer to each other.
  SF_TRY(file_.db.run("DELETE FROM branches WHERE session = ?", key));
  SF_TRY(file_.db.run("DELETE FROM nodes WHERE session = ?", key));
  SF_TRY(file_.db.run("DELETE FROM settings WHERE session = ?", key));
  SF_TRY(file_.db.run("DELETE FROM diverged_commands WHERE session = ?", key));
  SF_TRY(file_.db.run("DELETE FROM sessions WHERE key = ?", key));
  SF_TRY(drop_strays());
  SF_TRY(
      file_.db.run("INSERT INTO operations(at_us, session, operation, branch, node, took_us, "
                   "bytes, detail) VALUES(?,?,'end_session','','',0,0,?)",
                   now.time_since_epoch().count(), id, Blob{"its record could not be read"}));
  return std::move(transaction).commit();
}

Result<std::vector<CostSample>> SqliteCatalog::measured_costs(const std::string& backend) {
  std::lock_guard lock(mutex_);
  std::vector<CostSample> samples;
  SF_TRY_ASSIGN(Rows rows,
                file_.db.query("SELECT memory_bytes, took_us FROM costs WHERE backend = ? "
                               "ORDER BY sequence DESC LIMIT ?",
                               backend, control::CostModel::kWindow));
  for (;;) {
    SF_TRY_ASSIGN(bool more, rows.next());
    if (!more) break;
    samples.push_back({rows.word(0), microseconds(rows.integer(1))});
  }
  std::reverse(samples.begin(), samples.end());
  return samples;
}

Result<Rows> SqliteCatalog::find_operations(const OperationQuery& query) {
  const std::size_t limit = std::min(query.limit, OperationQuery::kMostAtOnce);
  const std::uint64_t after = std::min(query.after, kLargest);
  const bool newest = query.which == OperationQuery::Which::kNewest;
  if (query.session.empty())
    return file_.db.query(
        newest ? SF_OPERATION_COLUMNS "WHERE sequence > ? ORDER BY sequence DESC LIMIT ?"
               : SF_OPERATION_COLUMNS "WHERE sequence > ? ORDER BY sequence LIMIT ?",
        after, limit);
  return file_.db.query(newest ? SF_OPERATION_COLUMNS
                            "WHERE session = ? AND sequence > ? ORDER BY sequence DESC LIMIT ?"
                               : SF_OPERATION_COLUMNS
                            "WHERE session = ? AND sequence > ? ORDER BY sequence LIMIT ?",
                        query.session.value(), after, limit);
}

Result<std::vector<OperationRecord>> SqliteCatalog::operations(const OperationQuery& query) {
  std::lock_guard lock(mutex_);
  std::vector<OperationRecord> found;
  SF_TRY_ASSIGN(Rows rows, find_operations(query));
  for (;;) {
    SF_TRY_ASSIGN(bool more, rows.next());
    if (!more) break;
    found.push_back(read_operation(rows));
  }
  if (query.which == OperationQuery::Which::kNewest) std::reverse(found.begin(), found.end());
  return found;
}

Result<std::uint64_t> SqliteCatalog::trim_operations(std::uint64_t keep) {
  std::lock_guard lock(mutex_);
  std::int64_t gone = 0;
  SF_TRY(with_reserve(ReserveUse::kAll, [&]() -> Status {
    SF_TRY_ASSIGN(gone, file_.db.run("DELETE FROM operations WHERE sequence <= (SELECT sequence "
                                     "FROM operations ORDER BY sequence DESC LIMIT 1 OFFSET ?)",
                                     std::min(keep, kLargest)));
    return Ok{};
  }));
  return static_cast<std::uint64_t>(gone);
}

}  // namespace sf::store
