// CommandLog: what was done to a branch since a node, in order, with what was seen of it. Replaying
// it from that node is how a virtual node comes back; replay_check.h compares.
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
  kWriteFile,  // text is the path, content what was written
  kResize,     // text is "ROWSxCOLS" of the terminal
  kKeys,       // bytes typed into the terminal: when the program read them is not known
  kSide,       // a command beside the shell, its words: what ran at the same time is not known
  kUnproven,   // a replay that was not proven to lead to its node; text says why
};

inline constexpr std::size_t kMaxKeptOutput = 2048;         // of each output, to show a difference
inline constexpr std::size_t kMaxKeptContent = 64U << 10U;  // of a written file; larger: not kept

// 64 bits of FNV-1a: for telling two outputs apart by accident, not against an adversary.
constexpr std::uint64_t hash_text(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

// The first and the last bytes of `text`, with a mark between when some were left out.
std::string bounded_excerpt(std::string_view text, std::size_t max_bytes);

struct LogEntry {
  EntryKind kind = EntryKind::kCommand;
  std::string text;
  std::string content;
  milliseconds timeout{0};
  std::size_t max_output = 0;  // replay asks for as much, so that both are cut at the same place
  int exit_code = 0;
  std::uint64_t output_hash = 0;  // hash_of()
  std::uint64_t output_bytes = 0;
  std::string output_excerpt;
  microseconds duration{0};
  bool timed_out = false;
  bool shell_restarted = false;
  bool left_background = false;
  bool diverged_before = false;  // this command, or another with the same text
  bool outcome_unknown = false;  // begun, and nobody saw its end
  bool content_dropped = false;  // a written file too large to be kept here

  friend bool operator==(const LogEntry&, const LogEntry&) = default;
};

using CommandLog = std::vector<LogEntry>;

// An entry as it is recorded before its effect: its outcome is not known yet.
LogEntry begun_entry(const ExecRequest& request);
LogEntry begun_write(std::string path, std::string content);
LogEntry keys_entry(std::string_view keys);
LogEntry side_entry(const SideRequest& request);
LogEntry resize_entry(std::uint16_t rows, std::uint16_t cols);
LogEntry unproven_entry(std::string why);
// The same entry once the command has been seen to end.
LogEntry finished_entry(LogEntry begun, const Observation& seen);

// hash_text() of each command of the log, in order.
std::vector<std::uint64_t> command_hashes(const CommandLog& log);
// For knowing commands again that were run one after the other: the hash of a run that is one
// command longer. A run begins with 0; that of a single command is the command's own hash.
constexpr std::uint64_t extend_run(std::uint64_t run, std::uint64_t command_hash) {
  return (run * 0x100000001b3ULL) ^ command_hash;
}
// Of what a command printed, for comparing a replay with it.
std::uint64_t hash_of(const Observation& seen);
// The request that does again what the entry did, with more time if it ended in time. Requires:
// kind is kCommand.
ExecRequest replay_request(const LogEntry& entry);
// Rows and columns. Requires: kind is kResize.
std::pair<std::uint16_t, std::uint16_t> replay_size(const LogEntry& entry);

// Can doing it again lead to the same state at all? Typed keys, commands beside the shell, unknown
// outcomes, unproven replays and contents that were not kept cannot. A command may still diverge:
// that is what verified replay is for.
bool is_replayable(const LogEntry& entry);
bool is_replayable(const CommandLog& log);

microseconds total_duration(const CommandLog& log);
// "make test" or "write /etc/hosts": one short line for messages.
std::string describe(const LogEntry& entry);

}  // namespace sf::control
