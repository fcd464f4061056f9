// AgentProgram: a program that answers requests; each request is a line of JSON with an id
// (docs/agents.md). It runs as long as this object and is restarted if it dies.
// Thread-safe: several threads may have requests under way.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "explore/agents/exec/line_process.h"
#include "os/pipe.h"
#include "os/poller.h"
#include "wire/json.h"

namespace sf::explore {

struct ProgramOptions {
  std::vector<std::string> argv;  // argv[0] is searched in PATH
  std::string log;                // file for its standard error; empty: inherited
  milliseconds timeout{600'000};  // time limit of each request
  int most_restarts = 5;
};

class AgentProgram {
 public:
  // Fails if the program cannot be started.
  static Result<std::unique_ptr<AgentProgram>> start(const ProgramOptions& options);
  // Closes the program's input. The program has two seconds to exit, then it is killed.
  ~AgentProgram();
  AgentProgram(const AgentProgram&) = delete;
  AgentProgram& operator=(const AgentProgram&) = delete;

  // Sends the request, with an id set here, and returns the answer. If the program dies, it is
  // restarted and the request is sent a second time. kOs: it died again; kTimedOut; kCorrupt: it
  // printed a malformed line.
  Result<wire::Json> ask(wire::Json request);

 private:
  struct Request {
    std::string line;
    std::size_t answers_before = 0;  // to any request
    bool was_repeated = false;
    std::optional<Result<wire::Json>> outcome;
  };

  AgentProgram(const ProgramOptions& options, os::Poller poller, os::Pipe wake_up);
  void wake() const;
  Error about(Error error) const;

  // These run in the thread `thread_`; no other thread touches the process.
  void serve(std::promise<Status> started);
  Status start_process();
  os::ExitStatus drop_process(Deadline deadline);
  void on_wake();
  void on_output(bool has_exited);
  void take_line(const std::string& line);
  void on_nonsense(const Error& what);
  void on_end(const std::string& why);
  void send();
  void fail_all(const Error& error);

  const ProgramOptions options_;
  const os::Pipe wake_up_;
  os::Poller poller_;
  std::optional<LineProcess> process_;
  int restarts_ = -1;
  std::string last_end_;  // how the last run ended

  std::mutex mutex_;
  std::condition_variable answered_;
  std::map<std::uint64_t, Request> requests_;  // guarded by mutex_, as are the fields below
  std::uint64_t next_id_ = 1;
  std::string unsent_;
  std::size_t answers_ = 0;
  bool is_stuck_ = false;
  bool is_stopping_ = false;
  std::thread thread_;
};

}  // namespace sf::explore
