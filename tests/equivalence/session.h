// The suite's own session helpers: a store with its leak check, and sessions in it that always end.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "comparison.h"
#include "testing/leak_check.h"
#include "testing/temp_dir.h"
#include "waypoint/waypoint.h"

namespace sf::equivalence {

using waypoint::BranchId;
using waypoint::CheckpointId;

// A Waypoint store of its own. Not thread-safe.
class TestStore {
 public:
  static Result<std::unique_ptr<TestStore>> open(
      waypoint::UnitKind units = waypoint::UnitKind::kAuto);

  waypoint::Waypoint& waypoint() { return *waypoint_; }
  const std::string& programs() const { return programs_; }
  void own(const BranchId& branch) { leaks_.add_mark(branch.value()); }
  // Ends every branch, closes the store and fails the running test when anything is left on the
  // host.
  void close();

 private:
  TestStore() = default;
  test::LeakCheck leaks_;
  test::TempDir dir_{"sf-equivalence"};
  std::string programs_;  // the bytes of tests/programs, to be put into each session
  std::unique_ptr<waypoint::Waypoint> waypoint_;
};

// One live branch; ended by its destructor.
class Session {
 public:
  // A fresh branch over the host's root, in /w, with the test programs in its PATH.
  static Result<Session> start(TestStore& store, const std::string& user);
  static Result<Session> fork(TestStore& store, const CheckpointId& checkpoint);
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
  Session(TestStore& store, BranchId branch);
  TestStore* store_;
  BranchId branch_;
  milliseconds patience_{60'000};
};

}  // namespace sf::equivalence
