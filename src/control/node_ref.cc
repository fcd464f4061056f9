#include "control/node_ref.h"

#include <charconv>

namespace sf::control {
namespace {

constexpr std::size_t kMaxRef = kMaxName + 16;
constexpr std::string_view kHead = "HEAD";

Error bad_ref(std::string_view ref) {
  std::string shown;
  for (char c : ref.substr(0, kMaxRef)) shown += c >= ' ' && c <= '~' ? c : '?';
  return invalid("'" + shown + "' is not a node reference",
                 "use a node's id, its name, HEAD or HEAD~2");
}

bool is_node_id(std::string_view text) {
  return text.size() > 1 && text.front() == 'n' &&
         text.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

Result<NodeId> resolve_start(const BranchTree& tree, const BranchId& branch,
                             std::string_view name) {
  if (name == kHead) {
    const Branch* found = tree.find_branch(branch);
    if (found == nullptr)
      return fail(ErrorCode::kNotFound,
                  "no such branch: " + branch.value() + ", so HEAD is undefined",
                  "name the node by its id or its name");
    return found->node;
  }
  const Node* node =
      is_node_id(name) ? tree.find(NodeId(std::string(name))) : tree.find_named(name);
  if (node == nullptr)
    return fail(ErrorCode::kNotFound, "no such node: " + std::string(name),
                "`tree` lists the nodes");
  return node->id;
}

}  // namespace

Result<NodeId> resolve(const BranchTree& tree, const BranchId& branch, std::string_view ref) {
  if (ref.size() > kMaxRef) return bad_ref(ref);
  std::size_t tilde = ref.find('~');
  std::string_view start = ref.substr(0, tilde);
  std::uint32_t up = 0;
  if (tilde != std::string_view::npos) {
    std::string_view digits = ref.substr(tilde + 1);
    const char* end = digits.data() + digits.size();
    if (digits.empty()) {
      up = 1;  // as in git: HEAD~ is HEAD~1
    } else if (auto [stop, error] = std::from_chars(digits.data(), end, up);
               error != std::errc() || stop != end) {
      return bad_ref(ref);
    }
  }
  if (start != kHead && !is_node_id(start) && !check_name(start, "node name").ok())
    return bad_ref(ref);

  SF_TRY_ASSIGN(NodeId id, resolve_start(tree, branch, start));
  for (std::uint32_t step = 0; step < up; ++step) {
    const Node* node = tree.find(id);
    if (node->is_root())
      return fail(ErrorCode::kNotFound, "'" + std::string(ref) + "' is above the root",
                  std::string(start) + " has " + std::to_string(step) + " ancestors");
    id = node->parent;
  }
  return id;
}

}  // namespace sf::control
