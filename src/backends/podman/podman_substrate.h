// PodmanSubstrate: containers, kept in one of two ways. Whole: CRIU images and changed files in one
// archive (`podman container checkpoint --export`). Committed: an image, which holds only files.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "backends/hosted/substrate.h"
#include "backends/podman/podman_tool.h"
#include "os/process.h"

namespace sf::backends {

struct PodmanOptions {
  enum class Keep { kWhole, kCommitted };
  Keep keep = Keep::kWhole;
  std::string agent;      // path of statefork-agent
  std::string owner;      // label of this store's objects
  std::string directory;  // for archives
};

class PodmanSubstrate final : public Substrate {
 public:
  PodmanSubstrate(PodmanTool podman, PodmanOptions options)
      : podman_(std::move(podman)), options_(std::move(options)) {}

  std::string_view name() const override { return is_whole() ? "podman" : "podman-commit"; }
  control::Preserves preserves() const override;
  control::CostLine expected_cost() const override;
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
  bool is_whole() const { return options_.keep == PodmanOptions::Keep::kWhole; }
  std::string archive(const std::string& state) const;
  Result<std::string> image_of(const std::string& root);
  Status run(const std::string& sandbox, const std::string& image,
             const waypoint::BranchConfig& config);
  Result<std::string> hooks() const;
  Result<std::string> criu_settings() const;
  Status check_stopped(const std::string& sandbox);
  Result<std::uint64_t> layer_bytes(const std::string& image);
  void prune();
  Result<pid_t> pid_of(const std::string& sandbox);

  PodmanTool podman_;
  PodmanOptions options_;
  std::mutex import_mutex_;            // held while a root is packed
  mutable std::mutex settings_mutex_;  // held while podman's settings are written
  std::mutex mutex_;
  std::map<std::string, os::ProcessKey> pids_;  // guarded by mutex_; podman needs 50 ms for it
};

}  // namespace sf::backends
