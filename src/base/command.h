// What is asked of a live branch and what was seen of it, the same in every layer: the control
// plane records it, a substrate carries it out, clients send it. Plain data.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/request_limits.h"

namespace sf {

// A command line for the branch's shell.
struct ExecRequest {
  std::string command;                     // bytes as bash reads them, no NUL
  milliseconds timeout = kDefaultTimeout;  // 0: none
  std::size_t max_output = kDefaultOutput;
  bool raw = false;  // also return the terminal's bytes as they came
  // Let the shell describe itself when the command has ended, so that a checkpoint can find the
  // branch unchanged.
  bool fingerprint = false;
  // The same even if no checkpoints are taken: Backend::digest() needs it.
  bool always_fingerprint = false;
};

struct Observation {
  int exit_code = 0;  // 128+n when signal n ended it
  // Plain text: no control sequences, LF line ends, valid UTF-8. Head and tail, when truncated.
  std::string output;
  std::string raw;         // on request
  std::string background;  // what jobs printed since the last command; no part of the result
  std::uint64_t output_bytes = 0;  // all that came, kept or not
  std::uint64_t raw_hash = 0;      // of all bytes behind the kept beginning
  microseconds duration{0};
  bool timed_out = false;
  bool truncated = false;
  // Its shell ended (exit, kill -9 $$), or one did since the last command; a fresh one waits.
  bool shell_restarted = false;
  // Processes run now that did not run when the command before had ended. What a job of an earlier
  // command started meanwhile counts, too.
  bool left_background = false;
};

// A command beside the shell: a program with its arguments, no terminal, separate outputs.
struct SideRequest {
  std::vector<std::string> argv;  // argv[0] is looked up in PATH
  std::map<std::string, std::string> env;
  std::string cwd;                          // empty: the session's
  std::string user;                         // empty: the session's
  std::string input;                        // standard input, then end of file
  milliseconds timeout = kDefaultTimeout;   // 0: none
  std::size_t max_output = kDefaultOutput;  // of each stream: head and tail, when truncated
};

struct SideObservation {
  int exit_code = 0;
  std::string standard_output;
  std::string standard_error;
  microseconds duration{0};
  bool timed_out = false;
  bool truncated = false;
};

// Called with the terminal's bytes as they arrive, from the thread that runs the command.
using OutputSink = std::function<void(std::string_view)>;

}  // namespace sf
