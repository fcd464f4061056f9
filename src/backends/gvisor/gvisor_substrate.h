// GvisorSubstrate: sandboxes of runsc, with checkpoints of the whole sandbox: processes, memory and
// changed files. gVisor's kernel keeps changed files in memory, over a root that does not change.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/hosted/mux_link.h"
#include "backends/hosted/per_sandbox.h"
#include "backends/hosted/substrate.h"
#include "os/process.h"

namespace sf::backends {

struct GvisorOptions {
  std::string runsc;      // path of the program
  std::string agent;      // path of statefork-agent
  std::string directory;  // for sandboxes and states
};

class GvisorSubstrate final : public Substrate {
 public:
  explicit GvisorSubstrate(GvisorOptions options) : options_(std::move(options)) {}

  std::string_view name() const override { return "gvisor"; }
  control::Preserves preserves() const override { return control::Preserves::everything(); }
  control::CostLine expected_cost() const override { return {250, 60'000}; }
  Status check(const waypoint::BranchConfig& config) const override;

  Status start(const std::string& sandbox, const waypoint::BranchConfig& config) override;
  Result<os::UniqueFd> connect(const std::string& sandbox) override;
  Result<KeptState> keep(const std::string& sandbox, const std::string& state) override;
  Status revive(const std::string& state, const std::string& sandbox,
                const waypoint::BranchConfig& config) override;
  Status end(const std::string& sandbox) override;
  Status remove(const std::string& state) override;
  Result<std::vector<std::string>> sandboxes() override;
  Result<std::vector<std::string>> states() override;

 private:
  struct Relay {  // `runsc exec` of the agent's relay, and the stream to it
    os::Child process;
    std::unique_ptr<MuxLink> link;
  };
  std::string sandbox_dir(const std::string& sandbox) const {
    return options_.directory + "/boxes/" + sandbox;
  }
  std::string state_dir(const std::string& state) const {
    return options_.directory + "/states/" + state;
  }
  std::vector<std::string> command(std::vector<std::string> arguments) const;
  // Runs runsc. Processes that it leaves running do not inherit our descriptors.
  Status run(const std::string& sandbox, std::vector<std::string> arguments);
  Status make_bundle(const std::string& sandbox, const waypoint::BranchConfig& config,
                     const std::string& agent);
  Result<std::unique_ptr<Relay>> start_relay(const std::string& sandbox);
  Result<bool> is_running(const std::string& sandbox) const;
  void end_relay(const std::string& sandbox);

  GvisorOptions options_;
  PerSandbox<std::unique_ptr<Relay>> relays_;  // null: not started yet
};

}  // namespace sf::backends
