#include "store/edit_writer.h"

#include <utility>

#include "control/branch_tree.h"
#include "control/cost_model.h"
#include "store/log_rows.h"
#include "store/session_rows.h"

namespace sf::store {

using namespace control;  // NOLINT: this file is about nothing else

namespace {

// Checks that a statement changed a row.
Status found(const Result<std::int64_t>& changed, const std::string& what) {
  if (!changed.ok()) return changed.error();
  if (*changed == 0) return fail(ErrorCode::kNotFound, "no " + what + " in this session");
  return Ok{};
}

Result<std::int64_t> key_or(Result<std::optional<std::int64_t>> key, const std::string& what) {
  SF_TRY_ASSIGN(std::optional<std::int64_t> value, std::move(key));
  if (!value) return fail(ErrorCode::kNotFound, "no " + what + " in the catalog");
  return *value;
}

std::int64_t microseconds_of(WallTime time) { return time.time_since_epoch().count(); }

}  // namespace

Status EditWriter::write(const Edit& edit) {
  return std::visit([this](const auto& e) { return on(e); }, edit);
}

Status EditWriter::write_counters(const Counters& counters) {
  const auto& [next_node, next_branch] = counters;
  // The condition avoids a write to the row if the counters are unchanged, as in most changes.
  SF_TRY(
      db_.run("UPDATE sessions SET next_node = ?1, next_branch = ?2 WHERE id = ?3 AND "
              "(next_node <> ?1 OR next_branch <> ?2)",
              next_node, next_branch, session_.value()));
  return Ok{};
}

Result<std::int64_t> EditWriter::session_key() {
  if (!key_) {
    SF_TRY_ASSIGN(key_,
                  key_or(db_.number("SELECT key FROM sessions WHERE id = ?", session_.value()),
                         "session " + session_.value()));
  }
  return *key_;
}

Result<std::int64_t> EditWriter::node_key(const NodeId& node) {
  SF_TRY_ASSIGN(std::int64_t session, session_key());
  return key_or(
      db_.number("SELECT key FROM nodes WHERE session = ? AND id = ?", session, node.value()),
      "node " + node.value());
}

Result<std::int64_t> EditWriter::branch_key(const BranchId& branch) {
  SF_TRY_ASSIGN(std::int64_t session, session_key());
  return key_or(
      db_.number("SELECT key FROM branches WHERE session = ? AND id = ?", session, branch.value()),
      "branch " + branch.value());
}

// The session -------------------------------------------------------------------------------------

Status EditWriter::on(const edit::PutSession& e) {
  if (e.session.id != session_)
    return invalid("session " + e.session.id.value() + " is not " + session_.value());
  return put_session(db_, e.session);
}

Status EditWriter::on(const edit::EndSession& /*e*/) {
  SF_TRY_ASSIGN(std::int64_t session, session_key());
  SF_TRY(db_.run("DELETE FROM sessions WHERE key = ?", session));  // cascades to its other rows
  key_.reset();
  return Ok{};
}

Status EditWriter::on(const edit::CostMeasured& e) {
  SF_TRY_ASSIGN(std::int64_t session, session_key());
  SF_TRY(
      db_.run("INSERT INTO costs(backend, memory_bytes, took_us) "
              "SELECT backend, ?, ? FROM sessions WHERE key = ?",
              e.memory_bytes, e.took.count(), session));
  SF_TRY(
      db_.run("DELETE FROM costs WHERE backend = (SELECT backend FROM sessions WHERE key = ?1) "
              "AND sequence <= (SELECT sequence FROM costs WHERE backend = "
              "(SELECT backend FROM sessions WHERE key = ?1) "
              "ORDER BY sequence DESC LIMIT 1 OFFSET ?2)",
              session, CostModel::kWindow));
  return Ok{};
}

Status EditWriter::on(const edit::CommandDiverged& e) {
  SF_TRY_ASSIGN(std::int64_t session, session_key());
  SF_TRY_ASSIGN(std::int64_t added,
                db_.run("INSERT OR IGNORE INTO diverged_commands(session, hash) VALUES(?,?)",
                        session, e.command_hash));
  if (added == 0) return Ok{};
  SF_TRY(
      db_.run("DELETE FROM diverged_commands WHERE session = ?1 AND sequence <= "
              "(SELECT sequence FROM diverged_commands WHERE session = ?1 "
              "ORDER BY sequence DESC LIMIT 1 OFFSET ?2)",
              session, BranchTree::kMaxDivergedCommands));
  return Ok{};
}

// Nodes -------------------------------------------------------------------------------------------

Status EditWriter::on(const edit::AddNode& e) {
  const auto& [id, name, parent, origin, physical, unchanged, quiet, proof, log, notes, created] =
      e.node;
  SF_TRY_ASSIGN(std::int64_t session, session_key());
  std::optional<std::int64_t> parent_key;
  if (!parent.empty()) {
    SF_TRY_ASSIGN(parent_key, node_key(parent));
  }
  std::optional<std::string> digest;
  std::optional<std::string> since;
  if (proof) digest = proof->digest;
  if (proof && proof->since) since = proof->since->value();
  SF_TRY(
      db_.run("INSERT INTO nodes(session, id, name, parent, origin, unchanged, created_us, quiet, "
              "proof_digest, proof_since) VALUES(?,?,?,?,?,?,?,?,?,?)",
              session, id.value(), name, parent_key, origin.value(), unchanged,
              microseconds_of(created), quiet, digest, since));
  const std::int64_t key = db_.last_key();
  if (physical) SF_TRY(on(edit::SetPhysical{id, physical}));
  for (std::size_t i = 0; i < log.size(); ++i) SF_TRY(put_entry(db_, LogOf::kNode, key, i, log[i]));
  for (const auto& [note, value] : notes) SF_TRY(on(edit::SetNote{id, note, value}));
  return Ok{};
}

Status EditWriter::on(const edit::RemoveNodes& e) {
  SF_TRY_ASSIGN(std::int64_t session, session_key());
  for (const NodeId& node : e.nodes) {
    // Fails if the node has children or branches. Its log and notes are deleted with it.
    SF_TRY(found(db_.run("DELETE FROM nodes WHERE session = ? AND id = ?", session, node.value()),
                 "node " + node.value()));
  }
  return Ok{};
}

Status EditWriter::on(const edit::NameNode& e) {
  SF_TRY_ASSIGN(std::int64_t key, node_key(e.node));
  SF_TRY(db_.run("UPDATE nodes SET name = ? WHERE key = ?", e.name, key));
  return Ok{};
}

Status EditWriter::on(const edit::SetNote& e) {
  SF_TRY_ASSIGN(std::int64_t key, node_key(e.node));
  if (e.value) {
    SF_TRY(
        db_.run("INSERT INTO notes(node, name, value) VALUES(?,?,?) "
                "ON CONFLICT(node, name) DO UPDATE SET value = excluded.value",
                key, Blob{e.key}, Blob{*e.value}));
  } else {
    SF_TRY(db_.run("DELETE FROM notes WHERE node = ? AND name = ?", key, Blob{e.key}));
  }
  return Ok{};
}

Status EditWriter::on(const edit::SetPhysical& e) {
  SF_TRY_ASSIGN(std::int64_t key, node_key(e.node));
  std::optional<std::string> ref;
  if (e.physical) ref = e.physical->ref.value();
  const auto& [_, bytes, memory_bytes, took, stopped] = e.physical.value_or(PhysicalState{});
  SF_TRY(
      db_.run("UPDATE nodes SET physical_ref = ?, physical_bytes = ?, physical_memory = ?, "
              "physical_took_us = ?, physical_stopped_us = ? WHERE key = ?",
              ref, bytes, memory_bytes, took.count(), stopped.count(), key));
  return Ok{};
}

Status EditWriter::on(const edit::MarkDiverged& e) {
  SF_TRY_ASSIGN(std::int64_t key, node_key(e.node));
  return found(db_.run("UPDATE node_log SET diverged_before = 1 WHERE owner = ? AND position = ?",
                       key, e.index),
               "entry " + std::to_string(e.index) + " of node " + e.node.value());
}

// Branches ----------------------------------------------------------------------------------------

Status EditWriter::on(const edit::AddBranch& e) {
  const auto& [id, node, pending, handle, alive, created] = e.branch;
  SF_TRY_ASSIGN(std::int64_t session, session_key());
  SF_TRY_ASSIGN(std::int64_t stand, node_key(node));
  SF_TRY(
      db_.run("INSERT INTO branches(session, id, node, handle, alive, created_us) "
              "VALUES(?,?,?,?,?,?)",
              session, id.value(), stand, handle.value(), alive, microseconds_of(created)));
  const std::int64_t key = db_.last_key();
  for (std::size_t i = 0; i < pending.size(); ++i)
    SF_TRY(put_entry(db_, LogOf::kBranch, key, i, pending[i]));
  return Ok{};
}

Status EditWriter::on(const edit::RemoveBranch& e) {
  SF_TRY_ASSIGN(std::int64_t key, branch_key(e.branch));
  SF_TRY(db_.run("DELETE FROM branches WHERE key = ?", key));  // cascades to the pending entries
  return Ok{};
}

Status EditWriter::on(const edit::MoveBranch& e) {
  SF_TRY_ASSIGN(std::int64_t key, branch_key(e.branch));
  SF_TRY_ASSIGN(std::int64_t stand, node_key(e.node));
  SF_TRY(db_.run("UPDATE branches SET node = ?, handle = ?, alive = 1 WHERE key = ?", stand,
                 e.handle.value(), key));
  SF_TRY(db_.run("DELETE FROM pending_log WHERE owner = ?", key));
  return Ok{};
}

Status EditWriter::on(const edit::LoseBranch& e) {
  SF_TRY_ASSIGN(std::int64_t key, branch_key(e.branch));
  SF_TRY(db_.run("UPDATE branches SET alive = 0 WHERE key = ?", key));
  return Ok{};
}

Status EditWriter::on(const edit::BeginEntry& e) {
  SF_TRY_ASSIGN(std::int64_t key, branch_key(e.branch));
  SF_TRY_ASSIGN(
      std::optional<std::int64_t> position,
      db_.number("SELECT coalesce(max(position) + 1, 0) FROM pending_log WHERE owner = ?", key));
  return put_entry(db_, LogOf::kBranch, key, static_cast<std::size_t>(position.value_or(0)),
                   e.entry);
}

Status EditWriter::on(const edit::FinishEntry& e) {
  SF_TRY_ASSIGN(std::int64_t key, branch_key(e.branch));
  SF_TRY(
      key_or(db_.number("SELECT 1 FROM pending_log WHERE owner = ? AND position = ?", key, e.index),
             "pending entry " + std::to_string(e.index) + " of branch " + e.branch.value()));
  return put_entry(db_, LogOf::kBranch, key, e.index, e.entry);
}

Status EditWriter::on(const edit::CancelEntry& e) {
  SF_TRY_ASSIGN(std::int64_t key, branch_key(e.branch));
  SF_TRY(found(db_.run("DELETE FROM pending_log WHERE owner = ? AND position = ?", key, e.index),
               "pending entry " + std::to_string(e.index) + " of branch " + e.branch.value()));
  // Closes the gap in the positions. In two passes, because no two rows may share a position.
  SF_TRY_ASSIGN(std::int64_t later,
                db_.run("UPDATE pending_log SET position = -position WHERE owner = ? AND "
                        "position > ?",
                        key, e.index));
  if (later == 0) return Ok{};
  SF_TRY(
      db_.run("UPDATE pending_log SET position = -position - 1 WHERE owner = ? AND "
              "position < 0",
              key));
  return Ok{};
}

}  // namespace sf::store
