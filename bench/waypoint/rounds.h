// Rounds: measures one tree. In every round, each Waypoint operation is paired with the
// corresponding CRIU operation. The order within the pair alternates, so that other load on the
// machine affects both.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "bare_criu.h"
#include "base/clock.h"
#include "base/result.h"
#include "plain_shell.h"
#include "samples.h"
#include "trees.h"
#include "waypoint/waypoint.h"

namespace sf::bench {

struct TreeSamples {
  Tree tree;
  Samples samples;
  std::size_t rounds = 0;
  std::optional<std::string> problem;  // why there are fewer rounds than requested
};

class Rounds {
 public:
  Rounds(waypoint::Waypoint& waypoint, BareCriu& bare, PlainShell& shell,
         std::function<bool()> stopped)
      : waypoint_(waypoint), bare_(bare), shell_(shell), stopped_(std::move(stopped)) {}

  // Starts and prepares a branch, runs `count` rounds or until the deadline, and ends the branch.
  TreeSamples measure(const Tree& tree, std::size_t count, Deadline deadline);

 private:
  struct Session {
    const Tree& tree;
    waypoint::BranchId branch;
    waypoint::CheckpointId checkpoint;  // the last one taken
    Samples& samples;
    std::optional<waypoint::BranchId> idle;  // a second, idle branch for comparison
  };

  Status measure_in(Session& session, TreeSamples& result, std::size_t count, Deadline deadline);
  Status prepare(Session& session);
  Status round(Session& session, bool bare_first);
  Status in_order(bool bare_first, const std::function<Status()>& ours,
                  const std::function<Status()>& bare);
  Status snapshot(Session& session);
  Status idle_there_and_back(Session& session);
  Status bare_dump(Session& session);
  Status restore(Session& session);
  Status bare_restore(Session& session);
  Status fork(Session& session, std::size_t count, Quantity quantity);
  Status exec(Session& session);
  Status run(Session& session, const std::string& command);
  Result<pid_t> keeper_of(const waypoint::BranchId& branch) const;

  waypoint::Waypoint& waypoint_;
  BareCriu& bare_;
  PlainShell& shell_;
  std::function<bool()> stopped_;
};

}  // namespace sf::bench
