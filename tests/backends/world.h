// World: one session over one backend, in a store of its own; the way a test drives it and
// restarts it.
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
  ~World();  // ends everything and checks that nothing is left

  // A store of another kind, before there is a session.
  void reopen_with(waypoint::FileLayerKind file_layers);
  void build(const std::string& backend, const std::string& policy = "eager",
             control::StartConfig config = {});
  // As if the daemon had been killed and started again: only store and catalog are left.
  void restart();

  control::SessionManager& session() { return *session_; }
  control::Backend& backend() { return *backend_; }
  waypoint::Waypoint& waypoint() { return *registry_->waypoint(); }
  backends::BackendRegistry& registry() { return *registry_; }

  // Runs a command that must be run; its output without the last line end.
  std::string run(const std::string& command, const control::BranchId& branch = kMain);
  Observation observe(const std::string& command, const control::BranchId& branch = kMain);
  control::NodeId snapshot(const control::BranchId& branch = kMain);
  void restore(const control::NodeId& node, const control::BranchId& branch = kMain);
  control::BranchHandle handle(const control::BranchId& branch = kMain);
  // The backend has exactly what the session's records name; one line for each difference.
  std::vector<std::string> disagreements();

  std::size_t orphans = 0;  // put away by the last restart

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
