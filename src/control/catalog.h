// Catalog: port to whatever remembers sessions over the death of the process.
//
// Every change of a session is one Change: all of its edits or none, durable when append() returns,
// nothing written when it fails. The order of effects follows one rule:
//
//   What is made is made first and recorded then; what is removed is struck from the record first
//   and removed then. So the record never names a thing that is not there, and a thing that no
//   record names is garbage, which recovery.h finds by looking.
//
// Only what changes a live branch in place (a command, a written file, typed keys) is recorded
// before it happens, as an entry whose outcome is unknown, and again when its outcome was seen. An
// entry that nobody finished says by itself that the branch cannot be replayed from its log.
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
struct EndSession {};  // everything of the session is forgotten
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
  std::optional<std::string> value;  // nothing: removed
};
struct SetPhysical {
  NodeId node;
  std::optional<PhysicalState> physical;  // nothing: from now on virtual
};
struct MarkDiverged {  // entry `index` of the node's log was seen to diverge
  NodeId node;
  std::size_t index = 0;
};
struct AddBranch {
  Branch branch;
};
struct RemoveBranch {
  BranchId branch;
};
// The branch stands on `node` now, alive, with nothing pending.
struct MoveBranch {
  BranchId branch;
  NodeId node;
  BranchHandle handle;
};
struct LoseBranch {
  BranchId branch;
};
struct BeginEntry {  // appended to what is pending
  BranchId branch;
  LogEntry entry;
};
struct FinishEntry {  // takes the place of pending entry `index`
  BranchId branch;
  std::size_t index = 0;
  LogEntry entry;
};
struct CancelEntry {  // pending entry `index` had no effect: taken out again
  BranchId branch;
  std::size_t index = 0;
};
// What was learnt. Of the measured costs, the newest of a backend are enough (CostModel::kWindow);
// of the diverged commands, the session's newest (BranchTree::kMaxDivergedCommands).
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
  std::string operation;  // the verb a user knows: "snapshot"
  WallTime at;
  microseconds took{0};  // of the whole operation, where it is over
  Counters counters;     // after this change
  std::vector<Edit> edits;
};

class Catalog {  // Thread-safe. Changes of one session arrive in their order, one at a time.
 public:
  virtual ~Catalog() = default;
  virtual Status append(const Change& change) = 0;
};

}  // namespace sf::control
