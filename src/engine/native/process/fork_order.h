// How the processes of a tree are forked again: who forks whom, in which session. Pure.
//
// A process belongs to the session of whoever forked it, unless it leads one. So a process whose
// parent lives in another session is forked before that parent began its own, or, when its parent
// is init, by a *bridge* from within the session: the bridge ends at once, and init takes the
// child. Leaders that are gone have *stand-ins* with their pids, which end when everybody has
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
  std::size_t member = 0;  // kMember: which
  pid_t group = 0;
  pid_t session = 0;
  int terminal = -1;
  std::vector<std::size_t> early;  // forks that it forks before it begins its session
  std::vector<std::size_t> late;   // and those after

  bool leads_session() const { return session == pid; }
};

// The first fork is init's. `taken`: pids that no helper may have, beside the members'.
// kUnsupported: no order of forks leads there.
Result<std::vector<PlannedFork>> plan_forks(const std::vector<Member>& members,
                                            const std::vector<pid_t>& taken = {});

}  // namespace sf::waypoint::native
