// Commands and their results: the words of exec(), side_exec() and the terminal, shared by manager
// and keeper.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "wire/json.h"

namespace sf::waypoint {

struct ExecRequest {
  std::string command;                 // bytes as bash reads them; any size up to 64 MiB, no NUL
  milliseconds timeout{120'000};       // 0: none
  std::size_t max_output = 1U << 20U;  // head and tail are kept, the middle is dropped
  bool raw = false;                    // also return the terminal's bytes as they came
  bool fingerprint =
      false;  // let the shell say how it stands, so that a checkpoint can find it unchanged
  bool always_fingerprint =
      false;  // the same for Waypoint::digest(): whoever takes checkpoints or not
};

struct ExecResult {
  int exit_code = 0;       // 128+n when signal n ended it
  std::string output;      // plain text: no control sequences, LF line ends, valid UTF-8
  std::string raw;         // on request
  std::string background;  // what jobs and the shell printed since the last command ended
  microseconds duration{0};
  std::uint64_t output_bytes = 0;  // all that came, kept or not
  std::uint64_t raw_hash = 0;      // of all bytes behind the kept beginning
  bool timed_out = false;
  bool truncated = false;
  bool shell_restarted =
      false;  // its shell ended (exit, kill -9 $$), or one did since the last command; it is fresh
  // Processes run now that did not run when the command before had ended. What a job of an earlier
  // command started meanwhile counts, too.
  bool left_background = false;
};

// Called with raw terminal bytes as they arrive.
using OutputSink = std::function<void(std::string_view)>;

// What became of typed keys.
struct TypedKeys {
  std::size_t accepted = 0;  // bytes: all that were given
  std::size_t waiting = 0;  // bytes, earlier ones included, until the program in the terminal reads
};

// A command beside the shell: no terminal, separate outputs, its own process group.
struct SideExecRequest {
  std::vector<std::string> argv;  // argv[0] is looked up in PATH
  std::map<std::string, std::string> env;
  std::string cwd;    // empty: the branch's configured one
  std::string user;   // empty: the branch's configured one
  std::string input;  // standard input, then end of file
  milliseconds timeout{120'000};
  std::size_t max_output = 16U << 20U;  // per stream
};

struct SideExecResult {
  int exit_code = 0;
  std::string standard_output;
  std::string standard_error;
  microseconds duration{0};
  bool timed_out = false;
  bool truncated = false;
};

wire::Json to_json(const ExecRequest& request);  // without the command: it travels as payload
Result<ExecRequest> exec_request_from_json(const wire::Json& json, std::string command);
wire::Json to_json(const ExecResult& result);  // without the texts: they travel as payload
Result<ExecResult> exec_result_from_json(const wire::Json& json, const std::string& payload);
wire::Json to_json(const SideExecRequest& request);
Result<SideExecRequest> side_exec_request_from_json(const wire::Json& json, std::string input);
wire::Json to_json(const SideExecResult& result);
Result<SideExecResult> side_exec_result_from_json(const wire::Json& json,
                                                  const std::string& payload);

}  // namespace sf::waypoint
