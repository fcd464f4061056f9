// HostedBackend: a backend out of a Substrate. Handles are names of sandboxes, references names of
// states. Thread-safe, as backend.h wants it.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <string>
#include <vector>

#include "backends/hosted/config_records.h"
#include "backends/hosted/substrate.h"
#include "control/backend.h"
#include "shell/shell_client.h"

namespace sf::backends {

class HostedBackend final : public control::Backend {
 public:
  // `directory` keeps what each sandbox and state began with.
  HostedBackend(std::unique_ptr<Substrate> substrate, const std::string& directory);

  std::string_view name() const override { return substrate_->name(); }
  control::Preserves preserves() const override { return substrate_->preserves(); }
  control::Capabilities capabilities() const override { return {.terminal = true, .files = true}; }
  control::CostLine expected_cost() const override { return substrate_->expected_cost(); }

  Result<control::BranchHandle> start(const control::StartConfig& config) override;
  Result<control::Observation> exec(const control::BranchHandle& branch,
                                    const control::ExecRequest& request,
                                    const control::OutputSink& sink) override;
  Result<control::Checkpoint> checkpoint(const control::BranchHandle& branch) override;
  Result<control::BranchHandle> restore(const control::BranchHandle& old,
                                        const control::PhysicalRef& from) override;
  std::vector<Result<control::BranchHandle>> fork(const control::PhysicalRef& from,
                                                  std::size_t count) override;
  Status remove(const control::PhysicalRef& ref) override;
  Status end(const control::BranchHandle& branch) override;

  Result<control::SideObservation> run(const control::BranchHandle& branch,
                                       const control::SideRequest& request) override;
  Result<control::TypedKeys> send_keys(const control::BranchHandle& branch,
                                       std::string_view keys) override;
  Result<control::TypedKeys> send_input(const control::BranchHandle& branch,
                                        const InputEvents& input) override;
  Result<control::TerminalScreen> screen(const control::BranchHandle& branch,
                                         std::size_t scrollback) override;
  Status resize(const control::BranchHandle& branch, std::uint16_t rows,
                std::uint16_t cols) override;
  Result<std::unique_ptr<control::TerminalFeed>> watch(
      const control::BranchHandle& branch) override;
  Result<std::string> read_file(const control::BranchHandle& branch, const std::string& path,
                                std::size_t max_bytes) override;
  Status write_file(const control::BranchHandle& branch, const std::string& path,
                    std::string_view content) override;
  Result<control::WindowSize> window(const control::BranchHandle& branch) override;
  Result<BranchFacts> facts(const control::BranchHandle& branch) override;
  // There is none: all nodes of such a backend are physical.
  Result<std::string> digest(const control::BranchHandle& branch,
                             const std::optional<control::PhysicalRef>& since,
                             const control::DigestBudget& budget) override;
  Result<control::StateDiff> diff(const control::DiffSide& from,
                                  const control::DiffSide& to) override;
  Result<control::BackendUsage> usage() override;
  Result<control::Inventory> inventory() override;

 private:
  struct Sandbox {
    std::string name;
    std::shared_ptr<waypoint::KeeperClient> agent;
    // Held shared by whoever talks to the agent, alone by whoever captures it: what is captured
    // must have no connection to the outside.
    std::shared_mutex talk;
    bool reached = false;  // by exec(), which alone uses this, and there is one at a time
  };

  std::shared_ptr<Sandbox> sandbox(const control::BranchHandle& branch);
  // Asks until the agent answers, the sandbox is seen to have ended (kNotFound), or time is up.
  Result<wire::Frame> hello(Sandbox& sandbox, Deadline deadline);
  Error cut_off(Sandbox& sandbox, Error error);
  // What an agent answered: that it is gone only when it is.
  template <typename Answer>
  Answer guarded(Sandbox& sandbox, Answer answer) {
    if (answer.ok()) return answer;
    return cut_off(sandbox, std::move(answer).error());
  }
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
