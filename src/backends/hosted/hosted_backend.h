// HostedBackend: a backend out of a Substrate. Handles are names of sandboxes, references names of
// states. Thread-safe, as backend.h wants it.
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
  // `directory` keeps what each sandbox and state began with.
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

  // There is none: all nodes of such a backend are physical.
  Result<std::string> digest(const control::BranchHandle& branch,
                             const std::optional<control::PhysicalRef>& since,
                             const control::DigestBudget& budget) override;
  Result<control::StateDiff> diff(const control::DiffSide& from,
                                  const control::DiffSide& to) override;
  Result<control::BackendUsage> usage() override;
  Result<control::Inventory> inventory() override;

 protected:
  Result<Talk> talk(const control::BranchHandle& branch) override;
  // An agent is gone only when its sandbox is. The way to it may be lost while it lives.
  Error explain(const control::BranchHandle& branch, Error error) override;

 private:
  struct Sandbox {
    std::string name;
    std::shared_ptr<waypoint::KeeperClient> agent;
    // Held shared by whoever talks to the agent, alone by whoever captures it: what is captured
    // must have no connection to the outside.
    std::shared_mutex talk;
    std::atomic<bool> reached = false;  // it answered a daemon's first request
  };

  std::shared_ptr<Sandbox> sandbox(const control::BranchHandle& branch);
  // Asks until the agent answers, the sandbox is seen to have ended (kNotFound), or time is up.
  Result<wire::HelloReply> hello(Sandbox& sandbox, Deadline deadline);
  Status check_engine();
  Status check_engine_once();
  // Reaches the agent of a sandbox that has just begun, and has it start a shell unless one runs.
  Status begin(const std::string& name, const waypoint::BranchConfig& config);
  Result<control::BranchHandle> revive(const control::PhysicalRef& from);

  std::unique_ptr<Substrate> substrate_;
  ConfigRecords records_;
  std::mutex engine_mutex_;
  bool engine_known_ = false;  // guarded by engine_mutex_
  // Held shared by whoever makes a sandbox or a state, alone by whoever removes records of nothing.
  std::shared_mutex making_;
  std::mutex mutex_;
  std::map<control::BranchHandle, std::shared_ptr<Sandbox>> sandboxes_;  // guarded by mutex_
};

}  // namespace sf::backends
