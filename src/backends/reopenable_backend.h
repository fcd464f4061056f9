// ReopenableBackend: a backend that may be missing for a while. Sessions stay attached to it; every
// call goes to the backend that is there at that moment, or fails with the reason why there is
// none.
//
// Thread-safe. A call that has begun keeps the backend it began with.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "control/backend.h"

namespace sf::backends {

class ReopenableBackend final : public control::Backend {
 public:
  // What holds whether or not it is there.
  struct Nature {
    std::string name;
    control::Preserves preserves;
    control::Capabilities capabilities;
  };
  explicit ReopenableBackend(Nature nature) : nature_(std::move(nature)) {}

  void open(std::shared_ptr<control::Backend> backend);
  // Returns the backend that was there, for the caller to wait until its calls have ended.
  std::weak_ptr<control::Backend> close(Error why);
  // Nothing: it is there.
  std::optional<Error> problem() const;

  std::string_view name() const override { return nature_.name; }
  control::Preserves preserves() const override { return nature_.preserves; }
  control::Capabilities capabilities() const override { return nature_.capabilities; }
  control::CostLine expected_cost() const override;

  control::StartConfig with_defaults(control::StartConfig config) const override;
  Result<control::BranchHandle> start(const control::StartConfig& config) override;
  Result<control::Observation> exec(const control::BranchHandle& branch,
                                    const control::ExecRequest& request,
                                    const control::OutputSink& sink) override;
  Result<control::SideObservation> run(const control::BranchHandle& branch,
                                       const control::SideRequest& request) override;
  Result<control::Checkpoint> checkpoint(const control::BranchHandle& branch) override;
  Result<control::BranchHandle> restore(const control::BranchHandle& old,
                                        const control::PhysicalRef& from) override;
  std::vector<Result<control::BranchHandle>> fork(const control::PhysicalRef& from,
                                                  std::size_t count) override;
  Status remove(const control::PhysicalRef& ref) override;
  Status end(const control::BranchHandle& branch) override;
  Status retire(const control::BranchHandle& branch) override;

  Result<control::TypedKeys> send_keys(const control::BranchHandle& branch,
                                       std::string_view keys) override;
  Result<control::TypedKeys> send_input(const control::BranchHandle& branch,
                                        const InputEvents& input) override;
  Result<control::TerminalScreen> screen(const control::BranchHandle& branch,
                                         std::size_t scrollback) override;
  Status resize(const control::BranchHandle& branch, std::uint16_t rows,
                std::uint16_t cols) override;
  Result<std::unique_ptr<control::TerminalFeed>> watch(
      const control::BranchHandle& branch) override;
  Result<std::string> read_file(const control::BranchHandle& branch, const std::string& path,
                                std::size_t max_bytes) override;
  Status write_file(const control::BranchHandle& branch, const std::string& path,
                    std::string_view content) override;

  Result<control::WindowSize> window(const control::BranchHandle& branch) override;
  Result<BranchFacts> facts(const control::BranchHandle& branch) override;
  Result<std::string> digest(const control::BranchHandle& branch,
                             const std::optional<control::PhysicalRef>& since,
                             const control::DigestBudget& budget) override;
  Result<control::StateDiff> diff(const control::DiffSide& from,
                                  const control::DiffSide& to) override;
  Result<control::BackendUsage> usage() override;
  std::vector<control::PhysicalRef> ready() const override;
  Result<control::Inventory> inventory() override;

 private:
  Result<std::shared_ptr<control::Backend>> current() const;

  Nature nature_;
  mutable std::mutex mutex_;
  std::shared_ptr<control::Backend> backend_;  // guarded by mutex_; null: closed
  Error why_;                                  // guarded by mutex_
};

}  // namespace sf::backends
