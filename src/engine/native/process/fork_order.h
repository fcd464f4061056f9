// Plans how the processes of a tree are forked again: by which parent and in which session. Pure.
//
// A process belongs to the session of its parent, unless it leads one. If its parent is now in
// another session, the process is forked before its parent starts that session. If its parent is
// init, a *bridge* within the session forks it: the bridge ends at once, and init adopts the child.
// Leaders that have ended have *stand-ins* with their pids, which end when all processes have
// joined.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <vector>

#include "base/result.h"

namespace sf::waypoint::native {

struct Member {
  pid_t pid = 0;
  pid_t parent = 0;  // 0: the first one, init
  pid_t group = 0;
  pid_t session = 0;
  int terminal = -1;  // number; -1: none
  bool ended = false;
};

struct PlannedFork {
  enum class Kind { kMember, kStandIn, kBridge };
  Kind kind = Kind::kMember;
  pid_t pid = 0;
  std::size_t member = 0;  // kMember: index of the member
  pid_t group = 0;
  pid_t session = 0;
  int terminal = -1;
  std::vector<std::size_t> early;  // forked before it starts its session
  std::vector<std::size_t> late;   // forked after that

  bool leads_session() const { return session == pid; }
};

// The first fork is init's. `taken`: pids that no helper may get, in addition to the members' pids.
// kUnsupported: no order of forks leads to this tree.
Result<std::vector<PlannedFork>> plan_forks(const std::vector<Member>& members,
                                            const std::vector<pid_t>& taken = {});

}  // namespace sf::waypoint::native
