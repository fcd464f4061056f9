// SessionFixture: a session over fakes, with the ways a test looks at it and kills it.
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
  // As if the daemon had been killed and started again: nothing is left but what the backend and
  // the catalog have. Orphans are put away; `orphans` says how many there were.
  Status restart();

  Result<Observation> run(const std::string& branch, const std::string& command);
  // The machine itself, not what the session says of it; nothing for a dead branch.
  std::optional<FakeMachine> machine(const std::string& branch);
  std::string dump(const std::string& branch);  // of that; empty for a dead one
  // Takes a snapshot that must succeed.
  control::NodeId mark(const std::string& branch, const control::SnapshotRequest& request = {});
  Status back(const std::string& branch, const control::NodeId& node);
  control::Node node(const control::NodeId& wanted);

  // Everything that must always hold; an empty list when it does:
  // - memory and catalog say the same;
  // - the backend has exactly the snapshots that nodes need and the branches that are named.
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
