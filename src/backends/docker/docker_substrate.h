// DockerSubstrate: containers, and images committed from them. An image holds only files.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "backends/docker/docker_api.h"
#include "backends/hosted/substrate.h"

namespace sf::backends {

struct DockerOptions {
  std::string socket = "/var/run/docker.sock";
  std::string agent;  // path of statefork-agent
  std::string owner;  // label of this store's objects
};

class DockerSubstrate final : public Substrate {
 public:
  explicit DockerSubstrate(DockerOptions options);

  std::string_view name() const override { return "docker"; }
  control::Preserves preserves() const override { return control::Preserves::kFiles; }
  control::CostLine expected_cost() const override { return {0, 300'000}; }
  Status check(const waypoint::BranchConfig& config) const override;

  Result<std::string> engine() override;
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
  Result<std::string> image_of(const std::string& root);
  Result<std::string> existing_image(const std::string& image);
  Status run(const std::string& sandbox, const std::string& image,
             const waypoint::BranchConfig& config);
  DockerApi::Query ours() const;
  Result<std::vector<std::string>> tagged(const std::string& repository);
  // Removes images that are no longer used and have lost their name.
  void sweep();

  DockerOptions options_;
  DockerApi api_;
  std::mutex import_mutex_;  // held while a root is packed
};

}  // namespace sf::backends
