// Server: MCP between two descriptors: reads lines, runs the calls on threads, writes the answers
// as they come.
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
  // Both descriptors stay the caller's. `version` is this program's.
  Server(const DaemonLocation& location, int input, int output, std::string version);

  enum class End {
    kFinished,   // every call is done
    kAbandoned,  // some still run: the process must end without destroying this object
  };
  // Until the input ends or nobody reads the output.
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
  std::mutex mutex_;  // also keeps lines in the order in which the protocol made them
  Protocol protocol_;
  bool output_failed_ = false;
  CallQueue calls_;
};

}  // namespace sf::cli::mcp
