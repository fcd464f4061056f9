// ReopenableBackend: a backend that may be unavailable for some time. Sessions keep using it; every
// call goes to the current backend, or fails with the reason why there is none.
//
// Thread-safe. A running call keeps its backend until it ends.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "control/backend.h"

namespace sf::backends {

class ReopenableBackend final : public control::Backend {
 public:
  // Properties that are known while the backend is closed.
  struct Nature {
    std::string name;
    control::Preserves preserves;
    control::Capabilities capabilities;
  };
  explicit ReopenableBackend(Nature nature) : nature_(std::move(nature)) {}

  void open(std::shared_ptr<control::Backend> backend);
  // Returns the old backend, so that the caller can wait until its calls have ended.
  std::weak_ptr<control::Backend> close(Error why);
  // nullopt: the backend is available.
  std::optional<Error> problem() const;

  std::string_view name() const override { return nature_.name; }
  control::Preserves preserves() const override { return nature_.preserves; }
  control::Capabilities capabilities() const override { return nature_.capabilities; }
  control::CostLine expected_cost() const override;

  control::StartConfig with_defaults(control::StartConfig config) const override;
  Result<control::BranchHandle> start(const control::StartConfig& config) override {
    return forward(&Backend::start, config);
  }
  Result<Observation> exec(const control::BranchHandle& branch, const ExecRequest& request,
                           const OutputSink& sink) override {
    return forward(&Backend::exec, branch, request, sink);
  }
  Result<SideObservation> run(const control::BranchHandle& branch,
                              const SideRequest& request) override {
    return forward(&Backend::run, branch, request);
  }
  Result<control::Checkpoint> checkpoint(const control::BranchHandle& branch) override {
    return forward(&Backend::checkpoint, branch);
  }
  Result<control::BranchHandle> restore(const control::BranchHandle& old,
                                        const control::PhysicalRef& from) override {
    return forward(&Backend::restore, old, from);
  }
  std::vector<Result<control::BranchHandle>> fork(const control::PhysicalRef& from,
                                                  std::size_t count) override;
  Status remove(const control::PhysicalRef& ref) override { return forward(&Backend::remove, ref); }
  Status end(const control::BranchHandle& branch) override {
    return forward(&Backend::end, branch);
  }
  Status retire(const control::BranchHandle& branch) override {
    return forward(&Backend::retire, branch);
  }
  Result<TypedKeys> send_keys(const control::BranchHandle& branch, std::string_view keys) override {
    return forward(&Backend::send_keys, branch, keys);
  }
  Result<TypedKeys> send_input(const control::BranchHandle& branch,
                               const InputEvents& input) override {
    return forward(&Backend::send_input, branch, input);
  }
  Result<ScreenText> screen(const control::BranchHandle& branch, std::size_t scrollback) override {
    return forward(&Backend::screen, branch, scrollback);
  }
  Status resize(const control::BranchHandle& branch, std::uint16_t rows,
                std::uint16_t cols) override {
    return forward(&Backend::resize, branch, rows, cols);
  }
  Result<WindowSize> window(const control::BranchHandle& branch) override {
    return forward(&Backend::window, branch);
  }
  Result<std::unique_ptr<TerminalFeed>> watch(const control::BranchHandle& branch) override {
    return forward(&Backend::watch, branch);
  }
  Result<std::string> read_file(const control::BranchHandle& branch, const std::string& path,
                                std::size_t max_bytes) override {
    return forward(&Backend::read_file, branch, path, max_bytes);
  }
  Status write_file(const control::BranchHandle& branch, const std::string& path,
                    std::string_view content) override {
    return forward(&Backend::write_file, branch, path, content);
  }
  Result<BranchFacts> facts(const control::BranchHandle& branch) override {
    return forward(&Backend::facts, branch);
  }
  Result<std::string> digest(const control::BranchHandle& branch,
                             const std::optional<control::PhysicalRef>& since,
                             const control::DigestBudget& budget) override {
    return forward(&Backend::digest, branch, since, budget);
  }
  Result<control::StateDiff> diff(const control::DiffSide& from,
                                  const control::DiffSide& to) override {
    return forward(&Backend::diff, from, to);
  }
  Result<control::BackendUsage> usage() override { return forward(&Backend::usage); }
  std::vector<control::PhysicalRef> ready() const override;
  Result<control::Inventory> inventory() override { return forward(&Backend::inventory); }

 private:
  Result<std::shared_ptr<control::Backend>> current() const;
  template <typename Answer, typename... Parameters, typename... Arguments>
  Answer forward(Answer (Backend::*verb)(Parameters...), Arguments&&... arguments) {
    SF_TRY_ASSIGN(std::shared_ptr<control::Backend> backend, current());
    return (*backend.*verb)(std::forward<Arguments>(arguments)...);
  }

  Nature nature_;
  mutable std::mutex mutex_;
  std::shared_ptr<control::Backend> backend_;  // guarded by mutex_; null: closed
  Error why_;                                  // guarded by mutex_
};

}  // namespace sf::backends
