// A minimal backend in one file. A sandbox is a set of namespaces over a copy of the root; a state
// is another copy. docs/backends.md explains the parts.
#pragma once

#include <string>
#include <vector>

#include "backends/hosted/substrate.h"

namespace sf::examples {

class CopiedRoot final : public backends::Substrate {
 public:
  // `agent`: path of statefork-agent. `directory`: for the copies; created if missing.
  CopiedRoot(std::string agent, std::string directory)
      : agent_(std::move(agent)), directory_(std::move(directory)) {}

  std::string_view name() const override { return "copied-root"; }
  control::Preserves preserves() const override { return control::Preserves::kFiles; }
  control::CostLine expected_cost() const override { return {0, 500'000}; }
  Status check(const waypoint::BranchConfig& config) const override;

  Status start(const std::string& sandbox, const waypoint::BranchConfig& config) override;
  Result<os::UniqueFd> connect(const std::string& sandbox) override;
  Result<backends::KeptState> keep(const std::string& sandbox, const std::string& state) override;
  Status revive(const std::string& state, const std::string& sandbox,
                const waypoint::BranchConfig& config) override;
  Status end(const std::string& sandbox) override;
  Status remove(const std::string& state) override;
  Result<std::vector<std::string>> sandboxes() override { return names_in("boxes"); }
  Result<std::vector<std::string>> states() override { return names_in("states"); }

 private:
  std::string sandbox_dir(const std::string& sandbox) const {
    return directory_ + "/boxes/" + sandbox;
  }
  std::string state_dir(const std::string& state) const { return directory_ + "/states/" + state; }
  Status run(const std::string& sandbox, const waypoint::BranchConfig& config);
  // The agent's pid on the host. kNotFound: the agent has ended.
  Result<pid_t> agent_of(const std::string& sandbox) const;
  Result<std::vector<std::string>> names_in(const std::string& room) const;

  std::string agent_;
  std::string directory_;
};

}  // namespace sf::examples
