// SessionFixture: a session over fakes; tests can inspect, kill and restart it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "control/session_manager.h"
#include "testing/fake_backend.h"
#include "testing/memory_catalog.h"

namespace sf::test {

class SessionFixture {
 public:
  explicit SessionFixture(const std::string& policy_name = "eager", FakeBackendOptions options = {},
                          control::SessionLimits limits = {});

  control::SessionManager& session() { return *session_; }
  Status build();
  // Simulates a kill and restart of the daemon: only the backend and the catalog keep their state.
  // Removes orphans; `orphans` counts them.
  Status restart();

  Result<Observation> run(const std::string& branch, const std::string& command);
  // The backend's machine of a branch; nullopt if the branch is dead.
  std::optional<FakeMachine> machine(const std::string& branch);
  std::string dump(const std::string& branch);  // dump of machine(); empty for a dead branch
  // Takes a snapshot that must succeed.
  control::NodeId mark(const std::string& branch, const control::SnapshotRequest& request = {});
  Status back(const std::string& branch, const control::NodeId& node);
  control::Node node(const control::NodeId& wanted);

  // Checks the invariants and returns one line per violation:
  // - memory and catalog agree;
  // - the backend has exactly the snapshots that nodes need and the branches that the tree names.
  std::vector<std::string> broken_rules();

  const control::SessionId id{"s1"};
  Fuse fuse;
  FakeBackend backend;
  MemoryCatalog catalog{&fuse};
  std::size_t orphans = 0;

 private:
  control::SessionPorts ports();

  control::SessionLimits limits_;
  std::unique_ptr<control::MaterializationPolicy> policy_;
  std::unique_ptr<control::SessionManager> session_;
};

}  // namespace sf::test
