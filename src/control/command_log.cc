#include "control/command_log.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace sf::control {

std::string bounded_excerpt(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return std::string(text);
  std::size_t half = max_bytes / 2;
  std::string left_out = std::to_string(text.size() - 2 * half);
  return std::string(text.substr(0, half)) + "\n[" + left_out + " bytes left out]\n" +
         std::string(text.substr(text.size() - half));
}

LogEntry begun_entry(const ExecRequest& request) {
  LogEntry entry;
  entry.text = request.command;
  entry.timeout = request.timeout;
  entry.max_output = request.max_output;
  entry.outcome_unknown = true;
  return entry;
}

LogEntry begun_write(std::string path, std::string content) {
  LogEntry entry;
  entry.kind = EntryKind::kWriteFile;
  entry.text = std::move(path);
  entry.outcome_unknown = true;
  entry.content_dropped = content.size() > kMaxKeptContent;
  if (!entry.content_dropped) entry.content = std::move(content);
  return entry;
}

LogEntry keys_entry(std::string_view keys) {
  LogEntry entry;
  entry.kind = EntryKind::kKeys;
  entry.text = bounded_excerpt(keys, kMaxKeptOutput);
  return entry;
}

LogEntry side_entry(const SideRequest& request) {
  LogEntry entry;
  entry.kind = EntryKind::kSide;
  for (const std::string& word : request.argv) entry.text += (entry.text.empty() ? "" : " ") + word;
  entry.text = bounded_excerpt(entry.text, kMaxKeptOutput);
  return entry;
}

LogEntry resize_entry(std::uint16_t rows, std::uint16_t cols) {
  LogEntry entry;
  entry.kind = EntryKind::kResize;
  entry.text = std::to_string(rows) + "x" + std::to_string(cols);
  return entry;
}

LogEntry unproven_entry(std::string why) {
  LogEntry entry;
  entry.kind = EntryKind::kUnproven;
  entry.text = std::move(why);
  return entry;
}

std::vector<std::uint64_t> command_hashes(const CommandLog& log) {
  std::vector<std::uint64_t> hashes;
  for (const LogEntry& entry : log) {
    if (entry.kind == EntryKind::kCommand) hashes.push_back(hash_text(entry.text));
  }
  return hashes;
}

// Includes the output beyond max_output.
std::uint64_t hash_of(const Observation& seen) {
  const std::uint64_t shown = hash_text(seen.output);
  return seen.truncated ? shown ^ seen.raw_hash : shown;
}

LogEntry finished_entry(LogEntry begun, const Observation& seen) {
  begun.outcome_unknown = false;
  begun.exit_code = seen.exit_code;
  begun.output_hash = hash_of(seen);
  begun.output_bytes = seen.output_bytes;
  begun.output_excerpt = bounded_excerpt(seen.output, kMaxKeptOutput);
  begun.duration = seen.duration;
  begun.timed_out = seen.timed_out;
  begun.shell_restarted = seen.shell_restarted;
  begun.left_background = seen.left_background;
  return begun;
}

ExecRequest replay_request(const LogEntry& entry) {
  // A slower host is not a divergence.
  constexpr int kMoreTime = 4;
  const milliseconds timeout = entry.timed_out ? entry.timeout : kMoreTime * entry.timeout;
  return {.command = entry.text, .timeout = timeout, .max_output = entry.max_output};
}

std::pair<std::uint16_t, std::uint16_t> replay_size(const LogEntry& entry) {
  std::pair<std::uint16_t, std::uint16_t> size;
  const char* end = entry.text.data() + entry.text.size();
  const char* x = std::from_chars(entry.text.data(), end, size.first).ptr;
  if (x != end) std::from_chars(x + 1, end, size.second);
  return size;
}

bool is_replayable(const LogEntry& entry) {
  return entry.kind != EntryKind::kKeys && entry.kind != EntryKind::kSide &&
         entry.kind != EntryKind::kUnproven && !entry.outcome_unknown && !entry.content_dropped;
}

bool is_replayable(const CommandLog& log) {
  return std::all_of(log.begin(), log.end(), [](const LogEntry& e) { return is_replayable(e); });
}

microseconds total_duration(const CommandLog& log) {
  microseconds sum{0};
  for (const LogEntry& entry : log) sum += entry.duration;
  return sum;
}

std::string describe(const LogEntry& entry) {
  constexpr std::size_t kShown = 80;
  std::string text = entry.text.substr(0, kShown);
  if (text.size() < entry.text.size()) text += "...";
  std::replace(text.begin(), text.end(), '\n', ' ');
  if (entry.kind == EntryKind::kWriteFile) return "write " + text;
  if (entry.kind == EntryKind::kResize) return "resize to " + text;
  if (entry.kind == EntryKind::kSide) return "side command: " + text;
  if (entry.kind == EntryKind::kKeys) return "keys typed into the terminal";
  if (entry.kind == EntryKind::kUnproven) return "a restore that " + text;
  return text;
}

}  // namespace sf::control
