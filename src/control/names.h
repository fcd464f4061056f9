// Names of the logical plane: typed ids, and what a person may call a node or a branch.
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
// Opaque words of a backend: a live branch, and a physical snapshot.
using BranchHandle = Id<struct BranchHandleTag>;
using PhysicalRef = Id<struct PhysicalRefTag>;

// Wall time, for people; nothing is decided by it.
using WallTime = std::chrono::sys_time<std::chrono::microseconds>;

inline constexpr std::string_view kMainBranch = "main";
inline constexpr std::size_t kMaxName = 64;

// Letters, digits, dash and underscore, a letter or digit first, 1 to 64 of them: nothing that a
// reference (HEAD~2, S/B), a path, a mount option or a query gives a meaning to. `HEAD` and what
// looks like a node's id are refused too. `what` names the thing in the message.
Status check_name(std::string_view name, std::string_view what);

// Orders ids by age: numbers are appended in decimal, so the shorter text is the older id.
struct OlderFirst {
  bool operator()(const NodeId& a, const NodeId& b) const {
    if (a.value().size() != b.value().size()) return a.value().size() < b.value().size();
    return a.value() < b.value();
  }
};

}  // namespace sf::control
