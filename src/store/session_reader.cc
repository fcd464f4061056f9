#include "store/session_reader.h"

#include <string>
#include <unordered_map>

#include "store/log_rows.h"
#include "store/session_rows.h"

namespace sf::store {

using namespace control;  // NOLINT: this file is about nothing else

namespace {

WallTime wall_time(std::int64_t since_epoch) { return WallTime(microseconds(since_epoch)); }

// Reads one table after the other; rows find their owner by its key.
class SessionReader {
 public:
  explicit SessionReader(Database& db) : db_(db) {}

  Result<std::vector<SessionImage>> read() {
    SF_TRY(read_records());
    SF_TRY(read_settings());
    SF_TRY(read_nodes());
    SF_TRY(read_notes());
    SF_TRY(read_branches());
    SF_TRY(read_log(LogOf::kNode));
    SF_TRY(read_log(LogOf::kBranch));
    SF_TRY(read_diverged());
    return std::move(images_);
  }

 private:
  struct Place {  // of a node or a branch: which image, which of its vector
    std::size_t image = 0;
    std::size_t index = 0;
  };
  using Places = std::unordered_map<std::int64_t, Place>;

  template <typename Use>
  static Status for_each(Result<Rows> rows, Use use) {
    if (!rows.ok()) return std::move(rows).error();
    for (;;) {
      SF_TRY_ASSIGN(bool more, rows->next());
      if (!more) return Ok{};
      SF_TRY(use(*rows));
    }
  }
  template <typename Map>
  Result<typename Map::mapped_type> owner(const Map& map, std::int64_t key,
                                          const char* what) const {
    auto it = map.find(key);
    if (it != map.end()) return it->second;
    return fail(ErrorCode::kCorrupt, db_.path() + ": a record names " + what + " " +
                                         std::to_string(key) + ", which is not there");
  }
  Node& node(Place place) { return images_[place.image].nodes[place.index]; }
  Branch& branch(Place place) { return images_[place.image].branches[place.index]; }

  Status read_records();
  Status read_settings();
  Status read_nodes();
  Status read_notes();
  Status read_branches();
  Status read_log(LogOf kind);
  Status read_diverged();

  Database& db_;
  std::vector<SessionImage> images_;
  std::unordered_map<std::int64_t, std::size_t> sessions_;
  Places nodes_;
  Places branches_;
};

Status SessionReader::read_records() {
  return for_each(db_.query("SELECT key, id, name, backend, policy, created_us, next_node, "
                            "next_branch FROM sessions ORDER BY key"),
                  [&](const Rows& row) -> Status {
                    sessions_[row.integer(0)] = images_.size();
                    images_.push_back({.session = {.id = SessionId(row.bytes(1)),
                                                   .name = row.bytes(2),
                                                   .backend = row.bytes(3),
                                                   .policy = row.bytes(4),
                                                   .created = wall_time(row.integer(5))},
                                       .counters = {row.word(6), row.word(7)}});
                    return Ok{};
                  });
}

Status SessionReader::read_settings() {
  return for_each(
      db_.query("SELECT session, kind, name, value FROM settings"), [&](const Rows& row) -> Status {
        SF_TRY_ASSIGN(std::size_t image, owner(sessions_, row.integer(0), "session"));
        return read_setting(row.bytes(1), row.bytes(2), row.bytes(3), images_[image].session);
      });
}

// A parent is made before its children, so its key is the smaller one.
Status SessionReader::read_nodes() {
  return for_each(db_.query("SELECT key, session, id, name, parent, origin, unchanged, created_us, "
                            "physical_ref, physical_bytes, physical_memory, physical_took_us, "
                            "physical_stopped_us, quiet, proof_digest, proof_since FROM nodes "
                            "ORDER BY key"),
                  [&](const Rows& row) -> Status {
                    SF_TRY_ASSIGN(std::size_t image, owner(sessions_, row.integer(1), "session"));
                    Node read{.id = NodeId(row.bytes(2)),
                              .name = row.bytes(3),
                              .origin = BranchId(row.bytes(5)),
                              .unchanged = row.integer(6) != 0,
                              .quiet = row.integer(13) != 0,
                              .created = wall_time(row.integer(7))};
                    if (!row.is_null(4)) {
                      SF_TRY_ASSIGN(Place parent, owner(nodes_, row.integer(4), "node"));
                      read.parent = node(parent).id;
                    }
                    if (!row.is_null(8))
                      read.physical = PhysicalState{.ref = PhysicalRef(row.bytes(8)),
                                                    .bytes = row.word(9),
                                                    .memory_bytes = row.word(10),
                                                    .took = microseconds(row.integer(11)),
                                                    .stopped = microseconds(row.integer(12))};
                    if (!row.is_null(14)) {
                      read.proof = ReplayProof{.digest = row.bytes(14), .since = {}};
                      if (!row.is_null(15)) read.proof->since = PhysicalRef(row.bytes(15));
                    }
                    nodes_[row.integer(0)] = {image, images_[image].nodes.size()};
                    images_[image].nodes.push_back(std::move(read));
                    return Ok{};
                  });
}

Status SessionReader::read_notes() {
  return for_each(db_.query("SELECT node, name, value FROM notes"), [&](const Rows& row) -> Status {
    SF_TRY_ASSIGN(Place place, owner(nodes_, row.integer(0), "node"));
    node(place).notes[row.bytes(1)] = row.bytes(2);
    return Ok{};
  });
}

Status SessionReader::read_branches() {
  return for_each(
      db_.query("SELECT key, session, id, node, handle, alive, created_us FROM branches "
                "ORDER BY session, id"),
      [&](const Rows& row) -> Status {
        SF_TRY_ASSIGN(std::size_t image, owner(sessions_, row.integer(1), "session"));
        SF_TRY_ASSIGN(Place stand, owner(nodes_, row.integer(3), "node"));
        branches_[row.integer(0)] = {image, images_[image].branches.size()};
        images_[image].branches.push_back({.id = BranchId(row.bytes(2)),
                                           .node = node(stand).id,
                                           .handle = BranchHandle(row.bytes(4)),
                                           .alive = row.integer(5) != 0,
                                           .created = wall_time(row.integer(6))});
        return Ok{};
      });
}

Status SessionReader::read_log(LogOf kind) {
  return for_each(all_entries(db_, kind), [&](const Rows& row) -> Status {
    bool of_node = kind == LogOf::kNode;
    SF_TRY_ASSIGN(Place place,
                  owner(of_node ? nodes_ : branches_, row.integer(0), of_node ? "node" : "branch"));
    CommandLog& log = of_node ? node(place).log : branch(place).pending;
    if (row.word(1) != log.size())
      return fail(ErrorCode::kCorrupt,
                  db_.path() + ": entry " + std::to_string(log.size()) + " of a log is missing");
    SF_TRY_ASSIGN(LogEntry entry, read_entry(row));
    log.push_back(std::move(entry));
    return Ok{};
  });
}

Status SessionReader::read_diverged() {
  return for_each(db_.query("SELECT session, hash FROM diverged_commands ORDER BY sequence"),
                  [&](const Rows& row) -> Status {
                    SF_TRY_ASSIGN(std::size_t image, owner(sessions_, row.integer(0), "session"));
                    images_[image].diverged_commands.push_back(row.word(1));
                    return Ok{};
                  });
}

}  // namespace

Result<std::vector<SessionImage>> read_sessions(Database& db) { return SessionReader(db).read(); }

}  // namespace sf::store
