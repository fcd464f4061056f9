// DaemonHost: sessions through the daemon's API, with a given backend and policy. A branch id is
// written "session/branch", a checkpoint id is a node, "session node".
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "client/api_client.h"
#include "daemon_world.h"
#include "session.h"

namespace sf::equivalence {

class DaemonHost final : public Host {
 public:
  static Result<std::unique_ptr<DaemonHost>> open(std::vector<std::string> environment = {});

  // For sessions started after this call. `root` must contain /w and the test programs; if it is
  // empty, the host's root is used.
  void use(std::string backend, std::string policy, std::string root = {});
  client::ApiClient& client() { return client_; }

  Result<BranchId> start(const std::string& user) override;
  Result<BranchId> fork(const CheckpointId& checkpoint) override;
  Result<Observation> exec(const BranchId& branch, const std::string& command,
                           milliseconds patience) override;
  Result<CheckpointId> checkpoint(const BranchId& branch) override;
  Status restore(const BranchId& branch, const CheckpointId& checkpoint) override;
  Status end(const BranchId& branch) override;
  void close() override { world_.reset(); }

 private:
  explicit DaemonHost(std::vector<std::string> environment)
      : world_(std::make_unique<test::DaemonWorld>(std::move(environment))) {}
  Status install(const std::string& branch_path);

  std::unique_ptr<test::DaemonWorld> world_;
  client::ApiClient client_ = world_->client();
  std::string programs_;
  std::string backend_ = "waypoint";
  std::string policy_ = "eager";
  std::string root_;
};

}  // namespace sf::equivalence
