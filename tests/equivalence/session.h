// The suite's own words for a session: a host that has branches, and a session that always ends.
// What kind of host it is (waypoint_host.h, daemon_host.h) no scenario knows.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "comparison.h"
#include "waypoint/waypoint.h"

namespace sf::equivalence {

using waypoint::BranchId;
using waypoint::CheckpointId;

class Host {  // Not thread-safe.
 public:
  virtual ~Host() = default;
  // A fresh branch over the host's root, with /w and the test programs.
  virtual Result<BranchId> start(const std::string& user) = 0;
  virtual Result<BranchId> fork(const CheckpointId& checkpoint) = 0;
  virtual Result<Observation> exec(const BranchId& branch, const std::string& command,
                                   milliseconds patience) = 0;
  virtual Result<CheckpointId> checkpoint(const BranchId& branch) = 0;
  virtual Status restore(const BranchId& branch, const CheckpointId& checkpoint) = 0;
  virtual Status end(const BranchId& branch) = 0;
  // Ends everything and fails the running test when anything is left on the host.
  virtual void close() = 0;
};

// One live branch; ended by its destructor.
class Session {
 public:
  // In /w, with the test programs in its PATH.
  static Result<Session> start(Host& host, const std::string& user);
  static Result<Session> fork(Host& host, const CheckpointId& checkpoint);
  Session(Session&& other) noexcept;
  Session& operator=(Session&&) = delete;
  ~Session();

  // A command that takes longer ends with "(timed out)" in its output.
  void set_patience(milliseconds patience) { patience_ = patience; }
  Result<Observation> run(const std::string& command);
  Result<Observations> run(const std::vector<std::string>& commands);
  Result<CheckpointId> checkpoint();
  Status restore(const CheckpointId& checkpoint);

 private:
  Session(Host& host, BranchId branch) : host_(&host), branch_(std::move(branch)) {}
  Host* host_;
  BranchId branch_;
  milliseconds patience_{60'000};
};

// The bytes of tests/programs, and the script that puts what it reads from its input into a root,
// with /w beside it.
Result<std::string> test_programs();
std::string install_script();

}  // namespace sf::equivalence
