#include "backends/reopenable_backend.h"

#include <utility>

namespace sf::backends {

using control::Backend;
using control::BranchHandle;
using control::PhysicalRef;

void ReopenableBackend::open(std::shared_ptr<Backend> backend) {
  std::lock_guard lock(mutex_);
  backend_ = std::move(backend);
}

std::weak_ptr<Backend> ReopenableBackend::close(Error why) {
  std::lock_guard lock(mutex_);
  why_ = std::move(why);
  std::weak_ptr<Backend> was = backend_;
  backend_.reset();
  return was;
}

std::optional<Error> ReopenableBackend::problem() const {
  std::lock_guard lock(mutex_);
  if (backend_) return std::nullopt;
  return why_;
}

// kBusy: exec() and write_file() had no effect.
Result<std::shared_ptr<Backend>> ReopenableBackend::current() const {
  std::lock_guard lock(mutex_);
  if (backend_) return backend_;
  Error error = why_;
  error.code = ErrorCode::kBusy;
  return std::move(error).while_doing("backend " + nature_.name + " is not available now");
}

control::CostLine ReopenableBackend::expected_cost() const {
  auto backend = current();
  return backend ? (*backend)->expected_cost() : control::CostLine{};
}

control::StartConfig ReopenableBackend::with_defaults(control::StartConfig config) const {
  auto backend = current();
  return backend ? (*backend)->with_defaults(std::move(config)) : config;
}

Result<BranchHandle> ReopenableBackend::start(const control::StartConfig& config) {
  SF_TRY_ASSIGN(auto backend, current());
  return backend->start(config);
}

Result<control::Observation> ReopenableBackend::exec(const BranchHandle& branch,
                                                     const control::ExecRequest& request,
                                                     const control::OutputSink& sink) {
  SF_TRY_ASSIGN(auto backend, current());
  return backend->exec(branch, request, sink);
}

Result<control::SideObservation> ReopenableBackend::run(const BranchHandle& branch,
                                                        const control::SideRequest& request) {
  SF_TRY_ASSIGN(auto backend, current());
  return backend->run(branch, request);
}

Result<control::Checkpoint> ReopenableBackend::checkpoint(const BranchHandle& branch) {
  SF_TRY_ASSIGN(auto backend, current());
  return backend->checkpoint(branch);
}

Result<BranchHandle> ReopenableBackend::restore(const BranchHandle& old, const PhysicalRef& from) {
  SF_TRY_ASSIGN(auto backend, current());
  return backend->restore(old, from);
}

std::vector<Result<BranchHandle>> ReopenableBackend::fork(const PhysicalRef& from,
                                                          std::size_t count) {
  auto backend = current();
  if (backend) return (*backend)->fork(from, count);
  return std::vector<Result<BranchHandle>>(count, backend.error());
}

Status ReopenableBackend::remove(const PhysicalRef& ref) {
  SF_TRY_ASSIGN(auto backend, current());
  return backend->remove(ref);
}

Status ReopenableBackend::end(const BranchHandle& branch) {
  SF_TRY_ASSIGN(auto backend, current());
  return backend->end(branch);
}

Status ReopenableBackend::retire(const BranchHandle& branch) {
  SF_TRY_ASSIGN(auto backend, current());
  return backend->retire(branch);
}

Result<control::TypedKeys> ReopenableBackend::send_keys(const BranchHandle& branch,
                                                        std::string_view keys) {
  SF_TRY_ASSIGN(auto backend, current());
  return backend->send_keys(branch, keys);
}

Result<control::TypedKeys> ReopenableBackend::send_input(const BranchHandle& branch,
                                                         const InputEvents& input) {
  SF_TRY_ASSIGN(auto backend, current());
  return backend->send_input(branch, input);
}

Result<control::TerminalScreen> ReopenableBackend::screen(const BranchHandle& branch,
                                                          std::size_t scrollback) {
  SF_TRY_ASSIGN(auto backend, current());
  return backend->screen(branch, scrollback);
}

Status ReopenableBackend::resize(const BranchHandle& branch, std::uint16_t rows,
                                 std::uint16_t cols) {
  SF_TRY_ASSIGN(auto backend, current());
  return backend->resize(branch, rows, cols);
}

Result<std::unique_ptr<control::TerminalFeed>> ReopenableBackend::watch(
    const BranchHandle& branch) {
  SF_TRY_ASSIGN(auto backend, current());
  return backend->watch(branch);
}

Result<std::string> ReopenableBackend::read_file(const BranchHandle& branch,
                                                 const std::string& path, std::size_t max_bytes) {
  SF_TRY_ASSIGN(auto backend, current());
  return backend->read_file(branch, path, max_bytes);
}

Status ReopenableBackend::write_file(const BranchHandle& branch, const std::string& path,
                                     std::string_view content) {
  SF_TRY_ASSIGN(auto backend, current());
  return backend->write_file(branch, path, content);
}

Result<control::WindowSize> ReopenableBackend::window(const BranchHandle& branch) {
  SF_TRY_ASSIGN(auto backend, current());
  return backend->window(branch);
}

Result<std::string> ReopenableBackend::digest(const BranchHandle& branch,
                                              const std::optional<control::PhysicalRef>& since,
                                              const control::DigestBudget& budget) {
  SF_TRY_ASSIGN(auto backend, current());
  return backend->digest(branch, since, budget);
}

Result<BranchFacts> ReopenableBackend::facts(const BranchHandle& branch) {
  SF_TRY_ASSIGN(auto backend, current());
  return backend->facts(branch);
}

Result<control::StateDiff> ReopenableBackend::diff(const control::DiffSide& from,
                                                   const control::DiffSide& to) {
  SF_TRY_ASSIGN(auto backend, current());
  return backend->diff(from, to);
}

Result<control::BackendUsage> ReopenableBackend::usage() {
  SF_TRY_ASSIGN(auto backend, current());
  return backend->usage();
}

std::vector<PhysicalRef> ReopenableBackend::ready() const {
  auto backend = current();
  return backend ? (*backend)->ready() : std::vector<PhysicalRef>{};
}

Result<control::Inventory> ReopenableBackend::inventory() {
  SF_TRY_ASSIGN(auto backend, current());
  return backend->inventory();
}

}  // namespace sf::backends
