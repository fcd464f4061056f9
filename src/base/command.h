// Requests to run commands in a live branch, and their results. All layers use the same structs:
// the control plane records them, a substrate runs them, clients send them. Plain data.
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
  std::string command;                     // passed to bash unchanged; no NUL
  milliseconds timeout = kDefaultTimeout;  // 0: none
  std::size_t max_output = kDefaultOutput;
  bool raw = false;  // also return the unfiltered bytes of the terminal
  // Make the shell report its state when the command has ended, so that a checkpoint can detect
  // that the branch is unchanged.
  bool fingerprint = false;
  // Do this even if no checkpoints are taken: Backend::digest() needs it.
  bool always_fingerprint = false;
};

struct Observation {
  int exit_code = 0;  // 128+n when signal n ended it
  // Plain text: no control sequences, LF line ends, valid UTF-8. Head and tail, when truncated.
  std::string output;
  std::string raw;                 // on request
  std::string background;          // printed by jobs since the last command; not part of the result
  std::uint64_t output_bytes = 0;  // everything printed, kept or not
  std::uint64_t raw_hash = 0;      // of all bytes after the part kept at the beginning
  microseconds duration{0};
  bool timed_out = false;
  bool truncated = false;
  // The shell ended (exit, kill -9 $$) during or since the last command. A new shell is running.
  bool shell_restarted = false;
  // A process is running that did not run when the previous command ended. It may also have been
  // started by a job of an earlier command.
  bool left_background = false;
};

// A side command: a program with its arguments, without a terminal, with separate outputs.
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
