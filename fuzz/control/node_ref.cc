// References to nodes: resolve to an existing node, or fail with an error that quotes the
// reference.
#include "control/node_ref.h"

#include <string>

#include "input.h"

namespace sf::fuzz {
namespace {

using namespace control;  // NOLINT: the only namespace of this file

void add(BranchTree& tree, const std::string& id, const std::string& parent,
         const std::string& name) {
  Node node{.id = NodeId(id), .name = name, .parent = NodeId(parent)};
  if (parent.empty()) node.physical = PhysicalState{.ref = PhysicalRef("p0")};
  SF_CHECK(tree.apply(edit::AddNode{std::move(node)}).ok());
}

// n0 - n1 (before) - n2
//         \ n3 (x-1)
BranchTree small_tree() {
  BranchTree tree;
  SF_CHECK(tree.apply(edit::PutSession{{.id = SessionId("s")}}).ok());
  add(tree, "n0", "", "");
  add(tree, "n1", "n0", "before");
  add(tree, "n2", "n1", "");
  add(tree, "n3", "n1", "x-1");
  SF_CHECK(tree.apply(edit::AddBranch{{.id = BranchId("main"), .node = NodeId("n2")}}).ok());
  return tree;
}

}  // namespace

void node_ref(std::string_view input) {
  static const BranchTree kTree = small_tree();
  for (const char* branch : {"main", "gone"}) {
    auto found = resolve(kTree, BranchId(branch), input);
    if (!found) {
      check_clear(found.error());
      SF_CHECK(found.error().code == ErrorCode::kInvalidArgument ||
               found.error().code == ErrorCode::kNotFound);
      SF_CHECK(!found.error().hint.empty());
      continue;
    }
    SF_CHECK(kTree.find(*found) != nullptr);
    SF_CHECK(resolve(kTree, BranchId(branch), found->value()).value() == *found);
    // One step up is its parent, unless it is the root.
    auto up = resolve(kTree, BranchId(branch), found->value() + "~");
    SF_CHECK(up.ok() != kTree.find(*found)->is_root());
    if (up) SF_CHECK(*up == kTree.find(*found)->parent);
  }
}

}  // namespace sf::fuzz
