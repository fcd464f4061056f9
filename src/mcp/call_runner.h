// CallRunner: sends tool calls to the daemon, waits for commands, and interrupts them.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "cli/daemon/daemon_start.h"
#include "client/api_client.h"
#include "mcp/call_queue.h"
#include "mcp/protocol.h"

namespace sf::cli::mcp {

using client::ApiClient;

struct CommandProgress {
  Ticket ticket{};
  double seconds = 0;
  std::string message;
};

class CallRunner {  // Thread-safe.
 public:
  explicit CallRunner(const DaemonLocation& location)
      : location_(location), client_(location.socket_path) {}

  // Returns when the call is done. Starts a daemon if none answers.
  ToolResult run(const ToolCall& call);

  // Sends Ctrl-C to the command of this call, if it has one. Does not wait.
  void interrupt(Ticket ticket);
  // The progress of all running commands.
  std::vector<CommandProgress> progress() const;

 private:
  static constexpr std::size_t kInterruptions = 8;  // parallel ones

  struct Command {
    std::string path;  // the execution's path in the API
    Stopwatch since;
    std::string last_line;  // guarded by the runner's mutex_
    std::mutex sending;     // held while Ctrl-C is sent, so that it cannot hit the next command
    std::condition_variable ended;
    bool is_over = false;         // guarded by `sending`
    bool is_interrupted = false;  // guarded by `sending`
  };

  Result<ToolResult> attempt(const ToolCall& call);
  Result<Json> put(const ToolCall& call, const ApiCall& request);
  Status probe_daemon();
  Result<Json> execute(const ToolCall& call, const ApiCall& request);
  void send_ctrl_c(Command& command) const;
  void note_output(Command& command, std::string_view text);

  const DaemonLocation location_;
  const ApiClient client_;
  std::mutex looking_;
  bool is_daemon_there_ = false;  // guarded by looking_; may be out of date
  mutable std::mutex mutex_;
  std::map<Ticket, std::shared_ptr<Command>> commands_;
  CallQueue interruptions_{kInterruptions};  // must not wait for the calls that they end
};

}  // namespace sf::cli::mcp
