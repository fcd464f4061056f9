// The suite's interface to a session: Host has branches, Session owns one branch. Scenarios do not
// know which Host they use (waypoint_host.h, daemon_host.h).
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
  // Starts a branch over the host's root, with /w and the test programs.
  virtual Result<BranchId> start(const std::string& user) = 0;
  virtual Result<BranchId> fork(const CheckpointId& checkpoint) = 0;
  virtual Result<Observation> exec(const BranchId& branch, const std::string& command,
                                   milliseconds patience) = 0;
  virtual Result<CheckpointId> checkpoint(const BranchId& branch) = 0;
  virtual Status restore(const BranchId& branch, const CheckpointId& checkpoint) = 0;
  virtual Status end(const BranchId& branch) = 0;
  // Ends everything, and fails the running test if anything is left on the host.
  virtual void close() = 0;
};

// One live branch; the destructor ends it.
class Session {
 public:
  // Starts in /w, with the test programs in PATH.
  static Result<Session> start(Host& host, const std::string& user);
  static Result<Session> fork(Host& host, const CheckpointId& checkpoint);
  Session(Session&& other) noexcept;
  Session& operator=(Session&&) = delete;
  ~Session();

  // A command that takes longer is stopped, and its output ends with "(timed out)".
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

// The executables of tests/programs, and the script that unpacks them from its standard input into
// a root and creates /w.
Result<std::string> test_programs();
std::string install_script();

}  // namespace sf::equivalence
