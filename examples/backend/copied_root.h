// A backend in one file, to show what one takes: a sandbox is a set of namespaces over a copy of
// the root, a state is another copy. docs/backends.md explains the parts.
#pragma once

#include <string>
#include <vector>

#include "backends/agent/substrate.h"

namespace sf::examples {

class CopiedRoot final : public backends::Substrate {
 public:
  // `agent`: path of statefork-agent. `directory`: for the copies; made when new.
  CopiedRoot(std::string agent, std::string directory)
      : agent_(std::move(agent)), directory_(std::move(directory)) {}

  std::string_view name() const override { return "copied-root"; }
  control::Preserves preserves() const override { return control::Preserves::kFiles; }
  control::CostLine expected_cost() const override { return {0, 500'000}; }
  Status check(const waypoint::BranchConfig& config) const override;

  Status start(const std::string& box, const waypoint::BranchConfig& config) override;
  Result<os::UniqueFd> connect(const std::string& box) override;
  Result<backends::KeptState> keep(const std::string& box, const std::string& state) override;
  Status revive(const std::string& state, const std::string& box,
                const waypoint::BranchConfig& config) override;
  Status end(const std::string& box) override;
  Status remove(const std::string& state) override;
  Result<std::vector<std::string>> boxes() override { return names_in("boxes"); }
  Result<std::vector<std::string>> states() override { return names_in("states"); }

 private:
  std::string box_dir(const std::string& box) const { return directory_ + "/boxes/" + box; }
  std::string state_dir(const std::string& state) const { return directory_ + "/states/" + state; }
  Status run(const std::string& box, const waypoint::BranchConfig& config);
  // The agent's pid on the host; kNotFound when it has ended.
  Result<pid_t> agent_of(const std::string& box) const;
  Result<std::vector<std::string>> names_in(const std::string& room) const;

  std::string agent_;
  std::string directory_;
};

}  // namespace sf::examples
