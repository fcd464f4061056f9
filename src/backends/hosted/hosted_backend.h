// HostedBackend: makes a backend from a Substrate. Handles are names of sandboxes, references are
// names of states. Thread-safe, as backend.h requires.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <string>
#include <vector>

#include "backends/hosted/config_records.h"
#include "backends/hosted/substrate.h"
#include "backends/shell_backend.h"

namespace sf::backends {

class HostedBackend final : public ShellBackend {
 public:
  // `directory` keeps the initial settings of each sandbox and state.
  HostedBackend(std::unique_ptr<Substrate> substrate, const std::string& directory);

  std::string_view name() const override { return substrate_->name(); }
  control::Preserves preserves() const override { return substrate_->preserves(); }
  control::Capabilities capabilities() const override { return {.terminal = true, .files = true}; }
  control::CostLine expected_cost() const override { return substrate_->expected_cost(); }

  Result<control::BranchHandle> start(const control::StartConfig& config) override;
  Result<control::Checkpoint> checkpoint(const control::BranchHandle& branch) override;
  Result<control::BranchHandle> restore(const control::BranchHandle& old,
                                        const control::PhysicalRef& from) override;
  std::vector<Result<control::BranchHandle>> fork(const control::PhysicalRef& from,
                                                  std::size_t count) override;
  Status remove(const control::PhysicalRef& ref) override;
  Status end(const control::BranchHandle& branch) override;

  // Not supported: all nodes of such a backend are physical.
  Result<std::string> digest(const control::BranchHandle& branch,
                             const std::optional<control::PhysicalRef>& since,
                             const control::DigestBudget& budget) override;
  Result<control::StateDiff> diff(const control::DiffSide& from,
                                  const control::DiffSide& to) override;
  Result<control::BackendUsage> usage() override;
  Result<control::Inventory> inventory() override;

 protected:
  Result<Talk> talk(const control::BranchHandle& branch) override;
  // An agent is gone only if its sandbox has ended. A lost connection does not prove that.
  Error explain(const control::BranchHandle& branch, Error error) override;

 private:
  struct Sandbox {
    std::string name;
    std::shared_ptr<waypoint::KeeperClient> agent;
    // Held shared during a request to the agent, and exclusively during a capture: a captured agent
    // must have no open connection.
    std::shared_mutex talk;
    std::atomic<bool> reached = false;  // it answered the first request of this daemon
  };

  std::shared_ptr<Sandbox> sandbox(const control::BranchHandle& branch);
  // Repeats the request until the agent answers, the sandbox has ended (kNotFound), or the deadline
  // passes.
  Result<wire::HelloReply> hello(Sandbox& sandbox, Deadline deadline);
  Status check_engine();
  Status check_engine_once();
  // Connects to the agent of a new sandbox. If no shell runs there, starts one.
  Status begin(const std::string& name, const waypoint::BranchConfig& config);
  Result<control::BranchHandle> revive(const control::PhysicalRef& from);

  std::unique_ptr<Substrate> substrate_;
  ConfigRecords records_;
  std::mutex engine_mutex_;
  bool engine_known_ = false;  // guarded by engine_mutex_
  // Held shared while a sandbox or a state is made, and exclusively while records without objects
  // are removed.
  std::shared_mutex making_;
  std::mutex mutex_;
  std::map<control::BranchHandle, std::shared_ptr<Sandbox>> sandboxes_;  // guarded by mutex_
};

}  // namespace sf::backends
