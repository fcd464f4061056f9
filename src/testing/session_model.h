// SessionModel: a simple model of a session over a FakeBackend: every node and branch is a copy of
// its machine. step() applies one operation to the real session and to the model and compares the
// visible results.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "testing/session_fixture.h"

namespace sf::test {

// One operation. Any numbers are valid, so generators are simple and shrink well.
struct ModelOp {
  enum Kind : std::uint8_t {
    kExec,
    kSnapshot,
    kRestore,
    kFork,
    kCleanup,
    kForcedCleanup,
    kEndBranch,
    kKeys,
    kWriteFile,
    kNote,
    kRestart,
  };
  static constexpr unsigned kKinds = 11;
  Kind kind = kExec;
  unsigned branch = 0;  // index into the existing branches
  unsigned node = 0;
  unsigned detail = 0;

  std::string describe() const;
};

class SessionModel {
 public:
  explicit SessionModel(SessionFixture& world);

  // Returns "" or a description of the difference. A failure that the fuse injected must have
  // changed nothing.
  std::string step(const ModelOp& op);
  // Requires: the fuse cut `op` off. Restarts the world and accepts its state if that is the state
  // before or after `op`.
  std::string recover_from(const ModelOp& op);
  // Checks every node in a new fork, and looks for garbage.
  std::string check_all();

 private:
  struct NodeModel {
    FakeMachine machine;
    control::NodeId parent;
    bool repeatable = true;  // nothing random on the way from the root
  };
  struct BranchModel {
    FakeMachine machine;
    control::NodeId node;
    bool repeatable = true;
  };

  std::string exec(const std::string& branch, unsigned detail);
  std::string snapshot(const std::string& branch, unsigned detail);
  std::string restore(const std::string& branch, const control::NodeId& node);
  std::string fork(const control::NodeId& node, unsigned detail);
  std::string cleanup(const control::NodeId& node, control::Force force);
  std::string end_branch(const std::string& branch);
  std::string change_in_place(const std::string& branch, const ModelOp& op);
  std::string restart();
  std::string check_branches();

  std::string pick_branch(unsigned number) const;
  control::NodeId pick_node(unsigned number) const;
  std::set<control::NodeId> subtree(const control::NodeId& node) const;
  void forget(const control::NodeId& node);
  bool was_injected(const Error& error) const;
  // The branch must be unchanged or equal to `changed`; updates the model accordingly.
  std::string adopt(const std::string& branch, const FakeMachine& changed);

  SessionFixture& world_;
  std::map<control::NodeId, NodeModel, control::OlderFirst> nodes_;
  std::map<std::string, BranchModel> branches_;
};

}  // namespace sf::test
