// Server: serves MCP on two descriptors: reads lines, runs the calls on threads, writes each answer
// when its call ends.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/daemon/daemon_start.h"
#include "mcp/call_queue.h"
#include "mcp/call_runner.h"
#include "mcp/line_reader.h"
#include "mcp/protocol.h"

namespace sf::cli::mcp {

class Server {
 public:
  // The caller keeps both descriptors. `version` is this program's version.
  Server(const DaemonLocation& location, int input, int output, std::string version);

  enum class End {
    kFinished,   // every call is done
    kAbandoned,  // some calls still run: the process must exit without destroying this object
  };
  // Returns when the input ends or the output is closed.
  Result<End> run();

 private:
  Result<bool> read_some();  // false: the input ended
  bool is_output_gone() const;
  void take(const std::vector<Line>& lines);
  void start(ToolCall call);
  void tell_progress();
  void write_line(const std::string& line);  // Requires: mutex_ is held.
  End wait_for_calls();

  const int input_;
  const int output_;
  LineReader reader_;
  CallRunner runner_;
  std::mutex mutex_;  // also keeps the protocol's order of lines
  Protocol protocol_;
  bool output_failed_ = false;
  CallQueue calls_;
};

}  // namespace sf::cli::mcp
