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

// The error is kBusy: exec() and write_file() had no effect.
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

std::vector<Result<BranchHandle>> ReopenableBackend::fork(const PhysicalRef& from,
                                                          std::size_t count) {
  auto backend = current();
  if (backend) return (*backend)->fork(from, count);
  return std::vector<Result<BranchHandle>>(count, backend.error());
}

std::vector<PhysicalRef> ReopenableBackend::ready() const {
  auto backend = current();
  return backend ? (*backend)->ready() : std::vector<PhysicalRef>{};
}

}  // namespace sf::backends
