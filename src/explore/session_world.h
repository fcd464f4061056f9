// SessionWorld: the world as a session of the daemon. States are nodes. Its branches are named
// after the run; tests run in forks of them.
#pragma once

#include <atomic>
#include <string>

#include "client/session_client.h"
#include "explore/branch_pool.h"
#include "explore/tasks/grading.h"
#include "explore/world.h"

namespace sf::explore {

struct WorldOptions {
  std::string run;                // prefix of its branches
  std::size_t most_branches = 1;  // without the forks for tests
  milliseconds command_timeout{120'000};
  std::size_t max_output = 16U << 10U;  // per command, as the agent sees it
};

class SessionWorld final : public World {
 public:
  SessionWorld(client::SessionClient session, GradingPlan grading, WorldOptions options);
  // Ends the run's branches.
  ~SessionWorld() override;
  SessionWorld(const SessionWorld&) = delete;
  SessionWorld& operator=(const SessionWorld&) = delete;

  // Adopts the branches that a killed part of this run left behind.
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
  const std::string prefix_;  // of its branches; contains the pid, so a resumed run has another one
  BranchPool pool_;
  std::atomic<std::uint64_t> grades_ = 0;
};

}  // namespace sf::explore
