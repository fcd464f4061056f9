#include "service/execution_table.h"

#include <algorithm>
#include <system_error>
#include <thread>

#include "os/error.h"
#include "service/random_id.h"

namespace sf::service {
namespace {

std::string id_of(const BranchTarget& at) {
  return at.session->read(
      [](const control::BranchTree& tree) { return tree.session().id.value(); });
}

}  // namespace

Result<std::shared_ptr<Execution>> ExecutionTable::start(BranchTarget at, ExecRequest request) {
  SF_TRY(at.session->resolve_ref(at.branch, "HEAD"));  // fails if the branch does not exist
  OutputForm form = request.raw ? OutputForm::kRaw : OutputForm::kText;
  request.raw = false;
  auto execution = std::make_shared<Execution>(random_id("x"), request.command, form);
  std::string session = id_of(at);
  std::lock_guard lock(mutex_);
  if (running_ >= kMaxRunning)
    return fail(ErrorCode::kBusy,
                std::to_string(kMaxRunning) + " executions are running, which is the limit",
                "wait until one of them ends");
  try {
    std::thread([this, at, request = std::move(request), execution] {
      run(at, request, execution);
    }).detach();
  } catch (const std::system_error& e) {
    return os::os_error(e.code().value(), "starting a thread");
  }
  running_ += 1;
  entries_.push_back({std::move(session), at.branch, execution});
  return execution;
}

void ExecutionTable::run(const BranchTarget& at, const ExecRequest& request,
                         const std::shared_ptr<Execution>& execution) {
  execution->finish(at.session->exec_command(
      at.branch, request, [&](std::string_view bytes) { execution->on_output(bytes); },
      [&] { return execution->begin(); }));
  std::lock_guard lock(mutex_);
  for (Entry& entry : entries_) {
    if (entry.execution == execution) entry.running = false;
  }
  running_ -= 1;
  forget_old();
  changed_.notify_all();
}

void ExecutionTable::forget_old() {
  std::size_t count = 0;
  std::size_t bytes = 0;
  for (const Entry& entry : entries_) {
    if (entry.running) continue;
    count += 1;
    bytes += entry.execution->kept_bytes();
  }
  auto is_too_much = [&] { return count > kMaxEnded || (bytes > kMaxEndedBytes && count > 1); };
  for (auto entry = entries_.begin(); entry != entries_.end() && is_too_much();) {
    if (entry->running) {
      ++entry;
      continue;
    }
    count -= 1;
    bytes -= entry->execution->kept_bytes();
    entry = entries_.erase(entry);
  }
}

Result<std::shared_ptr<Execution>> ExecutionTable::find(const BranchTarget& at,
                                                        const std::string& id) const {
  for (std::shared_ptr<Execution>& execution : of(at)) {
    if (execution->id() == id) return std::move(execution);
  }
  return fail(ErrorCode::kNotFound, "no execution '" + id.substr(0, 64) + "' on this branch",
              "the daemon keeps only the latest executions; the session's log has all commands");
}

std::vector<std::shared_ptr<Execution>> ExecutionTable::of(const BranchTarget& at) const {
  std::string session = id_of(at);
  std::vector<std::shared_ptr<Execution>> found;
  std::lock_guard lock(mutex_);
  for (const Entry& entry : entries_) {
    if (entry.session == session && entry.branch == at.branch) found.push_back(entry.execution);
  }
  return found;
}

void ExecutionTable::wait_all() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return running_ == 0; });
}

}  // namespace sf::service
