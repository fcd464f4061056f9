// ChangeMaker: turns any sequence of numbers into a sequence of valid changes for a catalog. Uses
// every kind of edit, and keeps the resulting tree for comparison.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "control/branch_tree.h"
#include "control/catalog.h"
#include "control/materialization_policy.h"

namespace sf::test {

struct ChangeSeed {
  unsigned kind = 0;    // kind of change
  unsigned branch = 0;  // index into the existing branches
  unsigned node = 0;
  unsigned detail = 0;  // sizes, bytes, flags
};

class ChangeMaker {
 public:
  static constexpr unsigned kKinds = 21;

  explicit ChangeMaker(control::SessionId session) : id_(std::move(session)) {}

  // Returns the next change, already applied to tree(). The first change, and the first change
  // after an end, builds the session.
  control::Change next(const ChangeSeed& seed);
  const control::BranchTree& tree() const { return tree_; }
  bool is_there() const { return built_; }
  const std::vector<control::CostSample>& costs() const { return costs_; }

 private:
  std::vector<control::Edit> build(const ChangeSeed& seed);
  std::vector<control::Edit> edits_for(const ChangeSeed& seed);
  std::vector<control::Edit> snapshot(const ChangeSeed& seed);
  std::vector<control::Edit> cleanup(const ChangeSeed& seed);
  control::NodeId pick_node(unsigned number) const;
  const control::Branch& pick_branch(unsigned number) const;

  control::SessionId id_;
  bool built_ = false;
  control::BranchTree tree_;
  control::Counters counters_;
  std::vector<control::CostSample> costs_;
};

// Values derived from a number: deterministic, with arbitrary bytes.
std::string bytes_of(unsigned number);
control::LogEntry entry_of(unsigned number);

}  // namespace sf::test
