#include "service/shared_backends.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace sf::service {

using backends::ReopenableBackend;
using control::Backend;

namespace {

constexpr auto kTryEvery = seconds(2);
constexpr auto kLongestPause = seconds(60);
constexpr auto kCallsEnd = seconds(20);  // time limit for calls on ended branches
constexpr auto kCallsLook = milliseconds(20);

}  // namespace

SharedBackends::SharedBackends(std::unique_ptr<backends::BackendRegistry> registry, DaemonLog& log)
    : registry_(std::move(registry)), log_(log) {
  for (const std::string& name : registry_->names()) {
    auto made = registry_->make(name);
    ReopenableBackend& backend = add(name);
    if (made) {
      backend.open(std::move(*made));
    } else {
      log_.error("the backend is not available", made.error(), {{"backend", name}});
      backend.close(made.error());
    }
  }
}

ReopenableBackend& SharedBackends::add(const std::string& name) {
  auto& backend = backends_[name];
  if (!backend) backend = std::make_unique<ReopenableBackend>(registry_->nature(name));
  return *backend;
}

Result<Backend*> SharedBackends::find(const std::string& name) {
  std::lock_guard lock(mutex_);
  auto found = backends_.find(name);
  if (found != backends_.end()) return static_cast<Backend*>(found->second.get());
  SF_TRY_ASSIGN(auto unknown, registry_->make(name));  // the error lists the known names
  (void)unknown;
  return invalid("there is no backend \"" + name + "\"");
}

Backend& SharedBackends::find_or_name(const std::string& name) {
  std::lock_guard lock(mutex_);
  if (auto found = backends_.find(name); found != backends_.end()) return *found->second;
  auto made = registry_->make(name);  // the error says why it cannot be made
  ReopenableBackend& backend = add(name);
  if (!made) backend.close(made.error());
  return backend;
}

std::vector<std::string> SharedBackends::names() const {
  std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [name, backend] : backends_) names.push_back(name);
  return names;
}

std::optional<Error> SharedBackends::problem(const std::string& name) const {
  {
    std::lock_guard lock(mutex_);
    auto found = backends_.find(name);
    if (found == backends_.end()) return std::nullopt;
    if (auto why = found->second->problem()) return why;
  }
  if (!registry_->is_on_waypoint(name)) return std::nullopt;
  Status store = registry_->check_store();
  if (store) return std::nullopt;
  return store.error();
}

// Returns false if calls are still running.
bool SharedBackends::close_all_on_waypoint(const Error& why) {
  std::vector<std::weak_ptr<Backend>> old;
  {
    std::lock_guard lock(mutex_);
    for (auto& [name, backend] : backends_) {
      if (registry_->is_on_waypoint(name)) old.push_back(backend->close(why));
    }
  }
  registry_->close_store();
  for (Deadline deadline = Deadline::after(kCallsEnd); !deadline.passed();) {
    std::erase_if(old, [](const std::weak_ptr<Backend>& each) { return each.expired(); });
    if (old.empty()) return true;
    std::this_thread::sleep_for(kCallsLook);
  }
  return false;
}

bool SharedBackends::reopen_store() {
  const Error why = registry_->check_store().error();
  log_.error("the store failed; reopening it", why);
  if (!close_all_on_waypoint(why)) return false;  // the next attempt will find the store in use
  Status opened = registry_->reopen_store();
  if (!opened) {
    log_.error("the store could not be reopened", opened.error());
    return false;
  }
  closed_ = names();
  std::erase_if(closed_, [&](const std::string& name) { return !registry_->is_on_waypoint(name); });
  return true;
}

std::vector<std::string> open_each(const std::vector<std::string>& names, const MakeBackend& make,
                                   const OpenBackend& open, DaemonLog& log) {
  std::vector<std::string> closed;
  for (const std::string& name : names) {
    auto made = make(name);
    if (!made) continue;  // not supported by this host
    Result<control::Inventory> has = (*made)->inventory();
    if (has) {
      open(name, std::move(*made), *has);
    } else {
      log.error("backend " + name + " could not be opened and will be retried", has.error());
      closed.push_back(name);
    }
  }
  return closed;
}

void SharedBackends::mend(const Reopened& reopened) {
  if (!next_try_.passed()) return;
  next_try_ = Deadline::after(pause_);
  const bool store_failed = registry_->may_reopen_store();
  if (!store_failed && closed_.empty()) return;
  pause_ = std::min(2 * pause_, kLongestPause);  // reset if it succeeds
  if (store_failed && !reopen_store()) return;
  closed_ = open_each(
      closed_, [&](const std::string& name) { return registry_->make(name); },
      [&](const std::string& name, std::unique_ptr<Backend> made, const control::Inventory& has) {
        reopened(*made, has);
        std::lock_guard lock(mutex_);
        backends_.at(name)->open(std::move(made));
      },
      log_);
  if (!closed_.empty()) return;
  pause_ = kTryEvery;
  log_.info("the store was reopened");
}

}  // namespace sf::service
