// World: one session over one backend, in its own store. Sends commands and restarts the backend.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/registry.h"
#include "control/session_manager.h"
#include "testing/leak_check.h"
#include "testing/matchers.h"
#include "testing/memory_catalog.h"
#include "testing/temp_dir.h"

namespace sf::test {

inline const control::BranchId kMain{std::string(control::kMainBranch)};

class World {
 public:
  explicit World(backends::Tools tools = {});
  ~World();  // ends all branches and checks for leaks

  // Opens a store with another kind of file layer. Requires: no session yet.
  void reopen_with(waypoint::FileLayerKind file_layers);
  void build(const std::string& backend, const std::string& policy = "eager",
             control::StartConfig config = {});
  // Simulates a killed and restarted daemon: only the store and the catalog remain.
  void restart();

  control::SessionManager& session() { return *session_; }
  control::Backend& backend() { return *backend_; }
  waypoint::Waypoint& waypoint() { return *registry_->waypoint(); }
  backends::BackendRegistry& registry() { return *registry_; }

  // Runs a command that must be accepted. Returns its output without the final newline.
  std::string run(const std::string& command, const control::BranchId& branch = kMain);
  Observation observe(const std::string& command, const control::BranchId& branch = kMain);
  control::NodeId snapshot(const control::BranchId& branch = kMain);
  void restore(const control::NodeId& node, const control::BranchId& branch = kMain);
  control::BranchHandle handle(const control::BranchId& branch = kMain);
  // One line for each difference between the backend's inventory and the session's records.
  std::vector<std::string> disagreements();

  std::size_t orphans = 0;  // discarded by the last restart

 private:
  control::SessionPorts ports();
  void end_all();

  LeakCheck leaks_;
  TempDir dir_;
  backends::Tools tools_;
  MemoryCatalog catalog_;
  std::string policy_name_;
  std::string backend_name_;
  std::unique_ptr<backends::BackendRegistry> registry_;
  std::unique_ptr<control::Backend> backend_;
  std::unique_ptr<control::MaterializationPolicy> policy_;
  std::unique_ptr<control::SessionManager> session_;
};

}  // namespace sf::test
