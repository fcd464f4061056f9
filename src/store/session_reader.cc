#include "store/session_reader.h"

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "store/log_rows.h"
#include "store/session_rows.h"

namespace sf::store {

using namespace control;  // NOLINT: this file is about nothing else

namespace {

constexpr std::string_view kLost = "lost-";
constexpr const char* kRecordGone =
    "the record of this session is gone, but its nodes or branches are not";
constexpr const char* kWayOut = "`statefork rm` removes it; the other sessions are not affected";

WallTime wall_time(std::int64_t since_epoch) { return WallTime(microseconds(since_epoch)); }

// Reads the tables one after another; a row names its owner by key. If a row is inconsistent, only
// its session is marked unreadable.
class SessionReader {
 public:
  explicit SessionReader(Database& db) : db_(db) {}

  Result<LoadedSessions> read() {
    SF_TRY(read_records());
    SF_TRY(read_settings());
    SF_TRY(read_nodes());
    SF_TRY(read_notes());
    SF_TRY(read_branches());
    SF_TRY(read_log(LogOf::kNode));
    SF_TRY(read_log(LogOf::kBranch));
    SF_TRY(read_diverged());
    return sorted();
  }

 private:
  struct Draft {
    std::int64_t key = 0;
    SessionImage image;
    bool has_record = true;
    std::optional<Error> why;  // set if it cannot be read
  };
  struct Location {  // a node or a branch: index of its draft and of its vector
    std::size_t draft = 0;
    std::size_t index = 0;
  };
  using Locations = std::unordered_map<std::int64_t, Location>;

  template <typename Use>
  static Status for_each(Result<Rows> rows, Use use) {
    if (!rows.ok()) return std::move(rows).error();
    for (;;) {
      SF_TRY_ASSIGN(bool more, rows->next());
      if (!more) return Ok{};
      use(*rows);
    }
  }
  // Keeps the first reason only.
  void blame(std::size_t draft, const std::string& what) {
    if (!drafts_[draft].why)
      drafts_[draft].why = fail(ErrorCode::kCorrupt, db_.path() + ": " + what, kWayOut);
  }
  void blame(std::size_t draft, const Status& status) {
    if (!status.ok()) blame(draft, status.error().message);
  }
  std::size_t session(std::int64_t key);
  // nullopt if the session has no such node; then the session is marked unreadable.
  std::optional<NodeId> node_of(std::size_t draft, std::int64_t key, const std::string& who);
  Node& node(Location location) { return drafts_[location.draft].image.nodes[location.index]; }
  Branch& branch(Location location) {
    return drafts_[location.draft].image.branches[location.index];
  }

  Status read_records();
  Status read_settings();
  Status read_nodes();
  Status read_notes();
  Status read_branches();
  Status read_log(LogOf kind);
  Status read_diverged();
  void read_log_entry(const Rows& row, LogOf kind);
  LoadedSessions sorted();

  Database& db_;
  std::vector<Draft> drafts_;
  std::unordered_map<std::int64_t, std::size_t> sessions_;
  Locations nodes_;
  Locations branches_;
  std::size_t strays_ = 0;
};

std::size_t SessionReader::session(std::int64_t key) {
  auto [found, is_new] = sessions_.try_emplace(key, drafts_.size());
  if (is_new) {
    drafts_.push_back({.key = key, .has_record = false});
    blame(found->second, kRecordGone);
  }
  return found->second;
}

std::optional<NodeId> SessionReader::node_of(std::size_t draft, std::int64_t key,
                                             const std::string& who) {
  auto found = nodes_.find(key);
  if (found != nodes_.end() && found->second.draft == draft) return node(found->second).id;
  blame(draft, who + " names node " + std::to_string(key) + ", which does not exist");
  return std::nullopt;
}

Status SessionReader::read_records() {
  return for_each(db_.query("SELECT key, id, name, backend, policy, created_us, next_node, "
                            "next_branch FROM sessions ORDER BY key"),
                  [&](const Rows& row) {
                    sessions_[row.integer(0)] = drafts_.size();
                    drafts_.push_back({.key = row.integer(0),
                                       .image = {.session = {.id = SessionId(row.bytes(1)),
                                                             .name = row.bytes(2),
                                                             .backend = row.bytes(3),
                                                             .policy = row.bytes(4),
                                                             .created = wall_time(row.integer(5))},
                                                 .counters = {row.word(6), row.word(7)}}});
                    SessionRecord& record = drafts_.back().image.session;
                    blame(drafts_.size() - 1, check_name(record.id.value(), "session id"));
                    if (record.backend.empty() && record.id.value().starts_with(kLost))
                      blame(drafts_.size() - 1, kRecordGone);  // keep_apart() inserted this row
                    if (record.name.empty()) return;
                    blame(drafts_.size() - 1, check_name(record.name, "session name"));
                  });
}

Status SessionReader::read_settings() {
  return for_each(
      db_.query("SELECT session, kind, name, value FROM settings"), [&](const Rows& row) {
        std::size_t draft = session(row.integer(0));
        blame(draft,
              read_setting(row.bytes(1), row.bytes(2), row.bytes(3), drafts_[draft].image.session));
      });
}

// A parent is inserted before its children, so its key is smaller.
Status SessionReader::read_nodes() {
  return for_each(db_.query("SELECT key, session, id, name, parent, origin, unchanged, created_us, "
                            "physical_ref, physical_bytes, physical_memory, physical_took_us, "
                            "physical_stopped_us, quiet, proof_digest, proof_since FROM nodes "
                            "ORDER BY key"),
                  [&](const Rows& row) {
                    const std::size_t draft = session(row.integer(1));
                    Node read{.id = NodeId(row.bytes(2)),
                              .name = row.bytes(3),
                              .origin = BranchId(row.bytes(5)),
                              .unchanged = row.integer(6) != 0,
                              .quiet = row.integer(13) != 0,
                              .created = wall_time(row.integer(7))};
                    if (!row.is_null(4)) {
                      auto parent = node_of(draft, row.integer(4), "node " + read.id.value());
                      if (parent) read.parent = *parent;
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
                    std::vector<Node>& nodes = drafts_[draft].image.nodes;
                    nodes_[row.integer(0)] = {draft, nodes.size()};
                    nodes.push_back(std::move(read));
                  });
}

Status SessionReader::read_notes() {
  return for_each(db_.query("SELECT node, name, value FROM notes"), [&](const Rows& row) {
    auto owner = nodes_.find(row.integer(0));
    if (owner == nodes_.end()) {
      strays_ += 1;
    } else {
      node(owner->second).notes[row.bytes(1)] = row.bytes(2);
    }
  });
}

Status SessionReader::read_branches() {
  return for_each(
      db_.query("SELECT key, session, id, node, handle, alive, created_us FROM branches "
                "ORDER BY session, id"),
      [&](const Rows& row) {
        const std::size_t draft = session(row.integer(1));
        Branch read{.id = BranchId(row.bytes(2)),
                    .node = {},
                    .handle = BranchHandle(row.bytes(4)),
                    .alive = row.integer(5) != 0,
                    .created = wall_time(row.integer(6))};
        auto stand = node_of(draft, row.integer(3), "branch " + read.id.value());
        if (stand) read.node = *stand;
        std::vector<Branch>& branches = drafts_[draft].image.branches;
        branches_[row.integer(0)] = {draft, branches.size()};
        branches.push_back(std::move(read));
      });
}

Status SessionReader::read_log(LogOf kind) {
  return for_each(all_entries(db_, kind), [&](const Rows& row) { read_log_entry(row, kind); });
}

void SessionReader::read_log_entry(const Rows& row, LogOf kind) {
  const bool of_node = kind == LogOf::kNode;
  const Locations& owners = of_node ? nodes_ : branches_;
  auto owner = owners.find(row.integer(0));
  if (owner == owners.end()) {
    strays_ += 1;
    return;
  }
  CommandLog& log = of_node ? node(owner->second).log : branch(owner->second).pending;
  if (row.word(1) != log.size())
    blame(owner->second.draft, "entry " + std::to_string(log.size()) + " of a log is missing");
  Result<LogEntry> entry = read_entry(row);
  if (entry) {
    log.push_back(std::move(*entry));
  } else {
    blame(owner->second.draft, entry.error().message);
  }
}

Status SessionReader::read_diverged() {
  return for_each(db_.query("SELECT session, hash FROM diverged_commands ORDER BY sequence"),
                  [&](const Rows& row) {
                    drafts_[session(row.integer(0))].image.diverged_commands.push_back(row.word(1));
                  });
}

LoadedSessions SessionReader::sorted() {
  LoadedSessions loaded{.strays = strays_};
  for (Draft& draft : drafts_) {
    if (!draft.why) {
      loaded.images.push_back(std::move(draft.image));
      continue;
    }
    UnreadableSession one = unreadable(draft.image, std::move(*draft.why));
    one.key = draft.key;
    one.has_record = draft.has_record;
    SessionRecord& record = one.session;
    if (!check_name(record.id.value(), "session id").ok())
      record.id = SessionId(std::string(kLost) + std::to_string(draft.key));
    if (!record.name.empty() && !check_name(record.name, "session name").ok()) record.name.clear();
    loaded.unreadable.push_back(std::move(one));
  }
  return loaded;
}

}  // namespace

UnreadableSession unreadable(const SessionImage& image, Error why) {
  UnreadableSession one{.session = image.session, .why = std::move(why)};
  if (one.why.hint.empty()) one.why.hint = kWayOut;
  for (const Branch& branch : image.branches) one.branches.push_back(branch.handle);
  for (const Node& node : image.nodes) {
    if (node.physical) one.physical.push_back(node.physical->ref);
  }
  return one;
}

Result<LoadedSessions> read_sessions(Database& db) { return SessionReader(db).read(); }

}  // namespace sf::store
