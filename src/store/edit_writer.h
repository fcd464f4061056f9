// EditWriter: writes the edits of one change to the tables. An edit that contradicts the tables
// fails, as in BranchTree::apply(); then the caller rolls the whole change back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "control/catalog.h"
#include "store/database.h"

namespace sf::store {

class EditWriter {
 public:
  EditWriter(Database& db, const control::SessionId& session) : db_(db), session_(session) {}

  // Requires: a transaction is open.
  Status write(const control::Edit& edit);
  Status write_counters(const control::Counters& counters);

 private:
  Status on(const control::edit::PutSession& e);
  Status on(const control::edit::EndSession& e);
  Status on(const control::edit::AddNode& e);
  Status on(const control::edit::RemoveNodes& e);
  Status on(const control::edit::NameNode& e);
  Status on(const control::edit::SetNote& e);
  Status on(const control::edit::SetPhysical& e);
  Status on(const control::edit::MarkDiverged& e);
  Status on(const control::edit::AddBranch& e);
  Status on(const control::edit::RemoveBranch& e);
  Status on(const control::edit::MoveBranch& e);
  Status on(const control::edit::LoseBranch& e);
  Status on(const control::edit::BeginEntry& e);
  Status on(const control::edit::FinishEntry& e);
  Status on(const control::edit::CancelEntry& e);
  Status on(const control::edit::CostMeasured& e);
  Status on(const control::edit::CommandDiverged& e);

  // Keys of rows; kNotFound if there is no such row.
  Result<std::int64_t> session_key();
  Result<std::int64_t> node_key(const control::NodeId& node);
  Result<std::int64_t> branch_key(const control::BranchId& branch);

  Database& db_;
  const control::SessionId& session_;
  std::optional<std::int64_t> key_;  // of the session, cached
};

}  // namespace sf::store
