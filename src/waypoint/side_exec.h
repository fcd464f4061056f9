// SideCommands: commands beside the shell, started by init with pipes instead of a terminal.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "os/fd.h"
#include "os/poller.h"
#include "waypoint/command.h"
#include "waypoint/shell_channel.h"
#include "waypoint/terminal/output_buffer.h"

namespace sf::waypoint {

class SideCommands {
 public:
  using Done = std::function<void(Result<SideExecResult>)>;

  SideCommands(pid_t init, os::Poller& poller) : init_(init), poller_(poller) {}
  ~SideCommands();

  // `start` carries who, where and what; its id is chosen here.
  void run(ShellChannel& channel, StartRequest start, const SideExecRequest& request, Done done);
  // P, X and F records; others are ignored.
  void on_record(ShellChannel& channel, const Record& record);
  void on_time();
  Deadline next_wake() const;
  bool any() const { return starting_ || !sides_.empty() || !waiting_.empty(); }

 private:
  struct Side {
    Done done;
    std::string input;
    std::size_t fed = 0;  // of the input
    pid_t pid = 0;        // as the branch sees it
    os::UniqueFd in;
    os::UniqueFd out;
    os::UniqueFd err;
    OutputBuffer standard_output{0};
    OutputBuffer standard_error{0};
    Stopwatch watch;
    Deadline deadline = Deadline::never();
    bool timed_out = false;
  };

  void on_piped(ShellChannel& channel, Side& side, const Record& record);
  void on_late_start(ShellChannel& channel, const Record& record);
  void feed_input(Side& side);
  void read_stream(os::UniqueFd& fd, OutputBuffer& into);
  void finish(long id, Result<SideExecResult> result);
  void close(Side& side);
  void start_next(ShellChannel& channel);
  void kill_group(pid_t leader, int number);

  pid_t init_;
  os::Poller& poller_;
  std::map<long, Side> sides_;
  std::map<long, StartRequest> waiting_;  // init prepares one at a time
  std::optional<long> starting_;
  long next_id_ = 1;
};

}  // namespace sf::waypoint
