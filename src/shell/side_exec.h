// SideCommands: commands beside the shell, which init starts with pipes instead of a terminal.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/command.h"
#include "base/result.h"
#include "os/fd.h"
#include "os/poller.h"
#include "shell/change_gate.h"
#include "shell/shell_channel.h"
#include "terminal/output_buffer.h"

namespace sf::waypoint {

class SideCommands {
 public:
  using Done = std::function<void(Result<SideObservation>)>;

  // `gate`: the branch's gate, opened for the steps that follow records of init and timers.
  SideCommands(pid_t init, os::Poller& poller, ChangeGate& gate)
      : init_(init), poller_(poller), gate_(gate) {}
  ~SideCommands();

  // `start` has the user, directory, program and environment; run() sets its kind and id.
  void run(const ChangePermit& permit, ShellChannel& channel, StartRequest start,
           const SideRequest& request, Done done);
  // After a restore, the side commands that were captured continue to run, and no client waits for
  // them. Reads and discards their output, because without a reader SIGPIPE would kill them. Their
  // input has ended.
  void adopt_orphans(ShellChannel& channel);
  // Call when init has served requests. Closes the output of orphans that init has swept, so that
  // their pipes have no reader, as in the captured branch.
  void drop_swept_orphans();
  // Handles P, X and F records; ignores others.
  void on_record(ShellChannel& channel, const Record& record);
  void on_time();
  Deadline next_wake() const;
  bool any() const { return starting_ || !sides_.empty() || !waiting_.empty(); }

 private:
  struct Side {
    Done done;
    std::string input;
    std::size_t fed = 0;  // bytes of the input that were written
    pid_t pid = 0;        // in the branch's PID namespace
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
  void finish(long id, Result<SideObservation> result);
  void close(Side& side);
  void on_exited(ShellChannel& channel, const Record& record);
  void add_orphan(int number);
  std::string init_fd(int number) const;
  void start_next(ShellChannel& channel);
  void kill_group(pid_t leader, int number);

  pid_t init_;
  os::Poller& poller_;
  ChangeGate& gate_;
  std::map<long, Side> sides_;
  std::map<long, StartRequest> waiting_;  // init prepares one at a time
  std::optional<long> starting_;
  std::set<pid_t> late_;                 // killed: their time limit had passed before they started
  std::map<int, os::UniqueFd> orphans_;  // init's number of a pipe -> our read end
  bool adopted_ = false;
  long next_id_ = 1;
};

}  // namespace sf::waypoint
