// What a command is asked to do and what was seen of it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"

namespace sf::control {

struct ExecRequest {
  std::string command;
  milliseconds timeout{120'000};  // 0: none
  std::size_t max_output = 1U << 20U;
  bool raw = false;  // also return the terminal's bytes as they came
  // Let the shell describe itself when the command has ended: Backend::digest() needs that.
  bool describe_shell = false;
};

struct Observation {
  int exit_code = 0;
  std::string output;  // at most max_output bytes: head and tail, when truncated
  std::string raw;
  std::string background;  // what jobs printed since the last command; no part of the result
  std::uint64_t output_bytes = 0;  // all that came, kept or not
  std::uint64_t raw_hash = 0;      // of all bytes behind the kept beginning
  microseconds duration{0};
  bool timed_out = false;
  bool truncated = false;
  bool shell_restarted = false;  // the command ended its shell; a fresh one waits
  bool left_background = false;  // processes that it started are still running
};

// What became of typed keys.
struct TypedKeys {
  std::size_t accepted = 0;  // bytes: all that were given
  std::size_t waiting = 0;  // bytes, earlier ones included, until the program in the terminal reads
};

// A command beside the shell: a program with its arguments, no terminal, outputs apart.
struct SideRequest {
  std::vector<std::string> argv;  // argv[0] is looked up in PATH
  std::map<std::string, std::string> env;
  std::string cwd;                     // empty: the session's
  std::string user;                    // empty: the session's
  std::string input;                   // standard input, then its end
  milliseconds timeout{120'000};       // 0: none
  std::size_t max_output = 1U << 20U;  // of each stream: head and tail, when truncated
};

struct SideObservation {
  int exit_code = 0;
  std::string standard_output;
  std::string standard_error;
  microseconds duration{0};
  bool timed_out = false;
  bool truncated = false;
};

// Called with the terminal's bytes as they arrive, from the thread that called exec_command().
using OutputSink = std::function<void(std::string_view)>;

// 64 bits of FNV-1a: for telling two outputs apart by accident, not against an adversary.
constexpr std::uint64_t hash_text(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

// The first and the last bytes of `text`, with a mark between when some were left out.
std::string bounded_excerpt(std::string_view text, std::size_t max_bytes);

}  // namespace sf::control
