// Names of the logical plane: typed ids, and rules for the names that users give.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/id.h"
#include "base/result.h"

namespace sf::control {

using SessionId = Id<struct SessionTag>;
using NodeId = Id<struct NodeTag>;      // "n0" is the root; never used twice within a session
using BranchId = Id<struct BranchTag>;  // its name: "main", "b1", or what fork() was given
// Opaque ids of a backend: a live branch, and a physical snapshot.
using BranchHandle = Id<struct BranchHandleTag>;
using PhysicalRef = Id<struct PhysicalRefTag>;

// Wall time, for display only; no decision depends on it.
using WallTime = std::chrono::sys_time<std::chrono::microseconds>;

inline constexpr std::string_view kMainBranch = "main";
inline constexpr std::size_t kMaxName = 64;

// Accepts 1 to 64 letters, digits, dashes and underscores, beginning with a letter or digit. Such a
// name has no special meaning in a reference (HEAD~2, S/B), a path, a mount option or a query.
// `HEAD` and names that look like a node's id are refused. `what` names the object in the message.
Status check_name(std::string_view name, std::string_view what);

// Orders ids by age. Ids end in a decimal number, so the shorter id is the older one.
struct OlderFirst {
  bool operator()(const NodeId& a, const NodeId& b) const {
    if (a.value().size() != b.value().size()) return a.value().size() < b.value().size();
    return a.value() < b.value();
  }
};

}  // namespace sf::control
