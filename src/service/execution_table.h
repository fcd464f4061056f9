// ExecutionTable: the running executions and the last ones that ended. In memory only: the
// session's log keeps the commands after their events are dropped. Thread-safe.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.h"
#include "control/session_manager.h"
#include "service/call_target.h"
#include "service/execution.h"

namespace sf::service {

class ExecutionTable {
 public:
  static constexpr std::size_t kMaxRunning = 256;
  static constexpr std::size_t kMaxEnded = 256;
  static constexpr std::size_t kMaxEndedBytes = 64U << 20U;

  ExecutionTable() = default;
  ExecutionTable(const ExecutionTable&) = delete;
  ExecutionTable& operator=(const ExecutionTable&) = delete;
  ~ExecutionTable() { wait_all(); }

  // Runs the command in its own thread. If the request has `raw`, events carry the terminal's
  // bytes.
  Result<std::shared_ptr<Execution>> start(BranchTarget at, ExecRequest request);
  Result<std::shared_ptr<Execution>> find(const BranchTarget& at, const std::string& id) const;
  std::vector<std::shared_ptr<Execution>> of(const BranchTarget& at) const;  // the oldest first
  void wait_all();

 private:
  struct Entry {
    std::string session;
    control::BranchId branch;
    std::shared_ptr<Execution> execution;
    bool running = true;
  };
  void run(const BranchTarget& at, const ExecRequest& request,
           const std::shared_ptr<Execution>& execution);
  void forget_old();  // Requires: mutex_ is held.

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Entry> entries_;
  std::size_t running_ = 0;
};

}  // namespace sf::service
