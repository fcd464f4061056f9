// SessionWorld: the world as a session of the daemon. Live branches are its own, named after the
// run; states are nodes. Tests run in forks of theirs.
#pragma once

#include <atomic>
#include <string>

#include "client/session_client.h"
#include "explore/branch_pool.h"
#include "explore/tasks/grading.h"
#include "explore/world.h"

namespace sf::explore {

struct WorldOptions {
  std::string run;                // names its branches
  std::size_t most_branches = 1;  // beside those that tests run in
  milliseconds command_timeout{120'000};
  std::size_t max_output = 16U << 10U;  // of each command, as the agent sees it
};

class SessionWorld final : public World {
 public:
  SessionWorld(client::SessionClient session, GradingPlan grading, WorldOptions options);
  // Ends its branches.
  ~SessionWorld() override;
  SessionWorld(const SessionWorld&) = delete;
  SessionWorld& operator=(const SessionWorld&) = delete;

  // Takes over what a part of this run has left that was killed.
  Status take_over();

  Result<Advance> advance(const std::string& state, const Action& action) override;
  Result<Grade> grade(const std::string& state, Usage& usage) override;
  Status check() override;
  Status remember(const std::string& state, const SearchNode& node) override;

 private:
  Result<std::string> stand_at(const std::string& state, Usage& usage);

  const client::SessionClient session_;
  const GradingPlan grading_;
  const WorldOptions options_;
  const std::string prefix_;  // of its branches: no part of the run that was killed has the same
  BranchPool pool_;
  std::atomic<std::uint64_t> grades_ = 0;
};

}  // namespace sf::explore
