// Catalog: port to the store that keeps the records of sessions across restarts of the process.
//
// Every change of a session is one Change. append() writes all of its edits or none; they are
// durable when it returns. The order of effects follows one rule:
//
// Create an object, then record it. Delete the record, then remove the object. So a record never
// names a missing object. An object without a record is garbage, which recovery.h finds in the
// backend's inventory.
//
// An operation that changes a live branch in place (a command, a written file, typed keys) is
// recorded before it happens, as an entry with an unknown outcome, and again with its outcome. If
// the second record is missing, the branch cannot be replayed from its log.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "control/session_records.h"

namespace sf::control {

namespace edit {

struct PutSession {  // the first edit of a session; later ones rename or relabel it
  SessionRecord session;
};
struct EndSession {};  // removes all records of the session
struct AddNode {
  Node node;
};
// All nodes of a subtree, children before parents.
struct RemoveNodes {
  std::vector<NodeId> nodes;
};
struct NameNode {
  NodeId node;
  std::string name;  // empty: none
};
struct SetNote {
  NodeId node;
  std::string key;
  std::optional<std::string> value;  // nullopt: remove the note
};
struct SetPhysical {
  NodeId node;
  std::optional<PhysicalState> physical;  // nullopt: the node becomes virtual
};
struct MarkDiverged {  // a replay of entry `index` of the node's log diverged
  NodeId node;
  std::size_t index = 0;
};
struct AddBranch {
  Branch branch;
};
struct RemoveBranch {
  BranchId branch;
};
// The branch is now at `node`, alive, with no pending entries.
struct MoveBranch {
  BranchId branch;
  NodeId node;
  BranchHandle handle;
};
struct LoseBranch {
  BranchId branch;
};
struct BeginEntry {  // appended to the pending entries
  BranchId branch;
  LogEntry entry;
};
struct FinishEntry {  // replaces pending entry `index`
  BranchId branch;
  std::size_t index = 0;
  LogEntry entry;
};
struct CancelEntry {  // removes pending entry `index`, which had no effect
  BranchId branch;
  std::size_t index = 0;
};
// Measurements. A catalog may forget old ones: it keeps the newest costs of each backend
// (CostModel::kWindow) and the newest diverged commands of each session
// (BranchTree::kMaxDivergedCommands).
struct CostMeasured {
  std::uint64_t memory_bytes = 0;
  microseconds took{0};
};
struct CommandDiverged {
  std::uint64_t command_hash = 0;  // hash_text() of the command, or extend_run() of several
};

}  // namespace edit

using Edit = std::variant<edit::PutSession, edit::EndSession, edit::AddNode, edit::RemoveNodes,
                          edit::NameNode, edit::SetNote, edit::SetPhysical, edit::MarkDiverged,
                          edit::AddBranch, edit::RemoveBranch, edit::MoveBranch, edit::LoseBranch,
                          edit::BeginEntry, edit::FinishEntry, edit::CancelEntry,
                          edit::CostMeasured, edit::CommandDiverged>;

struct Change {
  SessionId session;
  std::string operation;  // as users know it: "snapshot"
  WallTime at;
  microseconds took{0};  // of the whole operation, if it has ended
  Counters counters;     // after this change
  std::vector<Edit> edits;
};

class Catalog {  // Thread-safe. Changes of one session arrive in order, one at a time.
 public:
  virtual ~Catalog() = default;
  virtual Status append(const Change& change) = 0;
};

}  // namespace sf::control
