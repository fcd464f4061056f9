// FakeBackend: a substrate in memory, so that equivalence can be checked without a kernel.
//
// A branch is a map of variables and a list of processes. Its commands:
//   set K V, append K V, get K, dump, nop
//   slow MS       takes that long
//   spawn P, kill P
//   fail, timeout
//   lose          the branch dies
//   random K      sets K to another value on each run, and prints it
//   flaky         prints such a value
//   draw K        like `random`, but its text does not look random
//   hidden K      like `draw`, and does not print the value
//   long N        prints N bytes, of which only the ends are kept
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "control/backend.h"
#include "testing/fuse.h"

namespace sf::test {

struct FakeMachine {
  std::map<std::string, std::string> variables;
  std::set<std::string> processes;
  std::uint16_t rows = 40;
  std::uint16_t cols = 160;

  std::string dump() const;
  friend bool operator==(const FakeMachine&, const FakeMachine&) = default;
};

struct FakeBackendOptions {
  control::Preserves preserves = control::Preserves::everything();
  control::Capabilities capabilities{
      .physical_snapshots = true, .terminal = true, .files = true, .diff = true};
  bool notices_unchanged = true;
  bool has_digests = true;
  Fuse* fuse = nullptr;
};

class FakeBackend final : public control::Backend {
 public:
  explicit FakeBackend(FakeBackendOptions options = {}) : options_(options) {}

  // Checkpoints fail with this code until it is reset. kUnsupported represents a blocker.
  void fail_checkpoints(std::optional<ErrorCode> code);
  // The same for digests.
  void fail_digests(std::optional<ErrorCode> code);
  // The next exec() takes effect and then fails with kOs.
  void lose_next_answer();
  // Simulates a slow host: this many calls of exec() fail with kBusy, and of digest() with
  // kUnsupported.
  void be_slow(std::size_t execs, std::size_t digests);
  // Called in exec() before the command's effect, with no lock held.
  void on_exec(std::function<void(const std::string&)> hook);
  // Called in run() before the program's effect, with no lock held.
  void on_run(std::function<void()> hook);
  // Called in resize() before the effect, with no lock held.
  void on_resize(std::function<void()> hook);
  // Makes every process of the branch change its state.
  void let_processes_act(const control::BranchHandle& branch);
  void kill_branch(const control::BranchHandle& branch);
  std::size_t calls(const std::string& verb) const;
  std::optional<FakeMachine> machine(const control::BranchHandle& branch) const;

  std::string_view name() const override { return "fake"; }
  control::Preserves preserves() const override { return options_.preserves; }
  control::Capabilities capabilities() const override { return options_.capabilities; }
  control::CostLine expected_cost() const override { return {100, 5000}; }

  Result<control::BranchHandle> start(const control::StartConfig& config) override;
  Result<Observation> exec(const control::BranchHandle& branch, const ExecRequest& request,
                           const OutputSink& sink) override;
  Result<control::Checkpoint> checkpoint(const control::BranchHandle& branch) override;
  Result<control::BranchHandle> restore(const control::BranchHandle& old,
                                        const control::PhysicalRef& from) override;
  std::vector<Result<control::BranchHandle>> fork(const control::PhysicalRef& from,
                                                  std::size_t count) override;
  Status remove(const control::PhysicalRef& ref) override;
  Status end(const control::BranchHandle& branch) override;
  Status retire(const control::BranchHandle& branch) override;
  // Each word of `argv` names a variable to set. Prints the whole machine.
  Result<SideObservation> run(const control::BranchHandle& branch,
                              const SideRequest& request) override;
  Result<TypedKeys> send_keys(const control::BranchHandle& branch, std::string_view keys) override;
  Result<TypedKeys> send_input(const control::BranchHandle& branch,
                               const InputEvents& input) override;
  Result<ScreenText> screen(const control::BranchHandle& branch, std::size_t scrollback) override;
  Status resize(const control::BranchHandle& branch, std::uint16_t rows,
                std::uint16_t cols) override;
  Result<std::unique_ptr<TerminalFeed>> watch(const control::BranchHandle& branch) override;
  Result<std::string> read_file(const control::BranchHandle& branch, const std::string& path,
                                std::size_t max_bytes) override;
  Status write_file(const control::BranchHandle& branch, const std::string& path,
                    std::string_view content) override;
  Result<WindowSize> window(const control::BranchHandle& branch) override;
  Result<BranchFacts> facts(const control::BranchHandle& branch) override;
  Result<std::string> digest(const control::BranchHandle& branch,
                             const std::optional<control::PhysicalRef>& since,
                             const control::DigestBudget& budget) override;
  Result<control::StateDiff> diff(const control::DiffSide& from,
                                  const control::DiffSide& to) override;
  Result<control::BackendUsage> usage() override;
  Result<control::Inventory> inventory() override;

 private:
  template <typename T>
  using Effect = std::function<Result<T>()>;
  // Counts the call and runs `effect` with the fuse checked and the lock held.
  template <typename T>
  Result<T> call(const std::string& verb, const Effect<T>& effect);
  Result<FakeMachine*> live(const control::BranchHandle& branch);
  Result<control::BranchHandle> revive(const control::PhysicalRef& from);
  control::BranchHandle add(FakeMachine machine);
  Result<FakeMachine> side(const control::DiffSide& side);
  Result<Observation> perform(FakeMachine& machine, const control::BranchHandle& branch,
                              const std::string& command);

  FakeBackendOptions options_;
  mutable std::mutex mutex_;
  std::map<control::BranchHandle, FakeMachine> branches_;
  std::map<control::PhysicalRef, FakeMachine> snapshots_;
  std::map<control::BranchHandle, FakeMachine> bases_;  // state of each branch at its last snapshot
  std::map<std::string, std::size_t> calls_;
  std::optional<ErrorCode> checkpoint_error_;
  std::optional<ErrorCode> digest_error_;
  std::function<void(const std::string&)> on_exec_;
  std::function<void()> on_run_;
  std::function<void()> on_resize_;
  bool lose_answer_ = false;
  std::size_t slow_execs_ = 0;
  std::size_t slow_digests_ = 0;
  std::uint64_t next_ = 1;
  std::uint64_t random_ = 0;
};

}  // namespace sf::test
