// CommandLog: the operations on a branch since a node, in order, with their observed results. A
// restore of a virtual node replays the log; replay_check.h compares the results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/command.h"

namespace sf::control {

enum class EntryKind {
  kCommand,    // text is the command
  kWriteFile,  // text is the path, content the written bytes
  kResize,     // text is "ROWSxCOLS" of the terminal
  kKeys,       // bytes typed into the terminal; the time at which the program read them is unknown
  kSide,       // words of a side command; the commands that ran at the same time are unknown
  kUnproven,   // a replay that was not proven to restore its node; text says why
};

inline constexpr std::size_t kMaxKeptOutput = 2048;         // of each output, to show a difference
inline constexpr std::size_t kMaxKeptContent = 64U << 10U;  // larger files are not kept

// 64-bit FNV-1a. Detects accidental differences; does not resist an adversary.
constexpr std::uint64_t hash_text(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

// The first and the last bytes of `text`, with a mark between them if bytes were omitted.
std::string bounded_excerpt(std::string_view text, std::size_t max_bytes);

struct LogEntry {
  EntryKind kind = EntryKind::kCommand;
  std::string text;
  std::string content;
  milliseconds timeout{0};
  std::size_t max_output = 0;  // a replay cuts its output at the same place
  int exit_code = 0;
  std::uint64_t output_hash = 0;  // hash_of()
  std::uint64_t output_bytes = 0;
  std::string output_excerpt;
  microseconds duration{0};
  bool timed_out = false;
  bool shell_restarted = false;
  bool left_background = false;
  bool diverged_before = false;  // this command, or another one with the same text
  bool outcome_unknown = false;  // begun, but its end was not observed
  bool content_dropped = false;  // the written file was too large to be kept here

  friend bool operator==(const LogEntry&, const LogEntry&) = default;
};

using CommandLog = std::vector<LogEntry>;

// The entry that is recorded before the effect: the outcome is unknown.
LogEntry begun_entry(const ExecRequest& request);
LogEntry begun_write(std::string path, std::string content);
LogEntry keys_entry(std::string_view keys);
LogEntry side_entry(const SideRequest& request);
LogEntry resize_entry(std::uint16_t rows, std::uint16_t cols);
LogEntry unproven_entry(std::string why);
// The same entry with the outcome of the command.
LogEntry finished_entry(LogEntry begun, const Observation& seen);

// hash_text() of each command of the log, in order.
std::vector<std::uint64_t> command_hashes(const CommandLog& log);
// Extends the hash of a sequence of commands by one command. The hash of the empty sequence is 0;
// that of a single command is the command's own hash.
constexpr std::uint64_t extend_run(std::uint64_t run, std::uint64_t command_hash) {
  return (run * 0x100000001b3ULL) ^ command_hash;
}
// Hash of a command's output, to compare a replay with it.
std::uint64_t hash_of(const Observation& seen);
// The request that repeats the entry. If the command ended in time, the replay gets a longer time
// limit. Requires: kind is kCommand.
ExecRequest replay_request(const LogEntry& entry);
// Rows and columns. Requires: kind is kResize.
std::pair<std::uint16_t, std::uint16_t> replay_size(const LogEntry& entry);

// Whether a replay can lead to the same state. False for typed keys, side commands, unknown
// outcomes, unproven replays and contents that were not kept. If true, a command may still diverge,
// which verified replay detects.
bool is_replayable(const LogEntry& entry);
bool is_replayable(const CommandLog& log);

microseconds total_duration(const CommandLog& log);
// One short line for messages: "make test" or "write /etc/hosts".
std::string describe(const LogEntry& entry);

}  // namespace sf::control
