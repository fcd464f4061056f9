// One live session of a backend and its snapshots. The destructor removes all of them.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "control/backend.h"

namespace sf::bench {

inline double milliseconds_of(const Stopwatch& watch) {
  return static_cast<double>(watch.elapsed().count()) / 1000;
}

class BackendSession {
  using BranchHandle = control::BranchHandle;
  using Checkpoint = control::Checkpoint;
  using PhysicalRef = control::PhysicalRef;
  static constexpr auto kCommandTime = std::chrono::minutes(5);

 public:
  static Result<std::unique_ptr<BackendSession>> start(control::Backend& backend,
                                                       const std::string& root) {
    control::StartConfig config{.root = root};
    if (backend.name() == "vm") config.memory_bytes = 2ULL << 30U;  // as in the paper
    SF_TRY_ASSIGN(BranchHandle handle, backend.start(config));
    return std::unique_ptr<BackendSession>(new BackendSession(backend, std::move(handle)));
  }
  ~BackendSession() {
    (void)backend_.end(handle_);
    for (const PhysicalRef& ref : kept_) (void)backend_.remove(ref);
  }

  control::Backend& backend() { return backend_; }
  Result<Observation> exec(const std::string& command) {
    SF_TRY_ASSIGN(Observation seen,
                  backend_.exec(handle_, {.command = command, .timeout = kCommandTime}, {}));
    if (seen.exit_code == 0) return seen;
    return fail(ErrorCode::kOs, "\"" + command + "\" failed: " + seen.output);
  }
  Result<Checkpoint> snapshot() {
    SF_TRY_ASSIGN(Checkpoint taken, backend_.checkpoint(handle_));
    kept_.push_back(taken.ref);
    return taken;
  }
  // Includes the time until the next command has been answered.
  Result<double> timed_snapshot(std::uint64_t* bytes) {
    Stopwatch watch;
    SF_TRY_ASSIGN(Checkpoint taken, snapshot());
    SF_TRY(exec("true"));
    if (bytes != nullptr) *bytes = taken.bytes;
    return milliseconds_of(watch);
  }
  Result<double> timed_restore(const PhysicalRef& ref) {
    Stopwatch watch;
    SF_TRY_ASSIGN(BranchHandle fresh, backend_.restore(handle_, ref));
    BranchHandle old = std::exchange(handle_, std::move(fresh));
    Result<Observation> answered = exec("true");
    double taken = milliseconds_of(watch);
    SF_TRY(backend_.end(old));
    if (!answered) return std::move(answered).error();
    return taken;
  }
  void drop(const PhysicalRef& ref) {
    (void)backend_.remove(ref);
    std::erase(kept_, ref);
  }
  const std::vector<PhysicalRef>& kept() const { return kept_; }

 private:
  BackendSession(control::Backend& backend, BranchHandle handle)
      : backend_(backend), handle_(std::move(handle)) {}

  control::Backend& backend_;
  BranchHandle handle_;
  std::vector<PhysicalRef> kept_;
};

}  // namespace sf::bench
