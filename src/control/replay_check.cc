#include "control/replay_check.h"

#include <charconv>
#include <string_view>

namespace sf::control {
namespace {

template <typename Number>
bool read_number(const Error& error, const std::string& key, Number& number) {
  auto it = error.details.find(key);
  if (it == error.details.end()) return false;
  const std::string& text = it->second;
  auto [stop, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failed == std::errc() && stop == text.data() + text.size();
}

std::string read_text(const Error& error, const std::string& key) {
  auto it = error.details.find(key);
  return it == error.details.end() ? std::string() : it->second;
}

void write_outcome(Error& error, const std::string& prefix, const ReplayOutcome& outcome) {
  error.details[prefix + "_exit_code"] = std::to_string(outcome.exit_code);
  error.details[prefix + "_timed_out"] = outcome.timed_out ? "true" : "false";
  error.details[prefix + "_output"] = outcome.output;
}

// A digest is a list of words: "format:1 files:... shell:...".
std::string part_of(const std::string& digest, const std::string& name) {
  const std::size_t at = digest.find(name + ":");
  return at == std::string::npos ? "" : digest.substr(at, digest.find(' ', at) - at);
}

std::string differing_parts(const std::string& expected, const std::string& observed) {
  auto differs = [&](const std::string& name) {
    return part_of(expected, name) != part_of(observed, name);
  };
  const bool files = differs("files");
  const bool shell = differs("shell");
  if (files && shell) return "its files and its shell's state differ";
  if (files) return "its files differ";
  return shell ? "its shell's state differs" : "its state differs";
}

bool read_outcome(const Error& error, const std::string& prefix, ReplayOutcome& outcome) {
  outcome.timed_out = read_text(error, prefix + "_timed_out") == "true";
  outcome.output = read_text(error, prefix + "_output");
  return read_number(error, prefix + "_exit_code", outcome.exit_code);
}

std::string what_differs(const Divergence& d) {
  if (!d.state.empty()) return d.state;
  if (d.expected.timed_out != d.observed.timed_out)
    return d.observed.timed_out ? "it timed out" : "it no longer timed out";
  if (d.expected.exit_code != d.observed.exit_code)
    return "it exited " + std::to_string(d.observed.exit_code) + " instead of " +
           std::to_string(d.expected.exit_code);
  return "its output differs";
}

}  // namespace

std::optional<Divergence> check_replay(const ReplayStep& step, const Observation& observed) {
  const LogEntry& entry = step.entry;
  // Records of version 0.1.0 have the hash of the kept part only. Later records do not match it,
  // except by a hash collision.
  const bool same_output =
      entry.output_bytes == observed.output_bytes &&
      (entry.output_hash == hash_of(observed) || entry.output_hash == hash_text(observed.output));
  const bool same =
      entry.exit_code == observed.exit_code && entry.timed_out == observed.timed_out && same_output;
  if (same) return std::nullopt;
  return Divergence{
      .node = step.node,
      .index = step.index,
      .command = bounded_excerpt(entry.text, kMaxKeptOutput),
      .expected = {entry.exit_code, entry.timed_out, entry.output_excerpt},
      .observed = {observed.exit_code, observed.timed_out,
                   bounded_excerpt(observed.output, kMaxKeptOutput)},
  };
}

bool was_partly_recorded(const LogEntry& entry, const Observation& observed) {
  return observed.truncated && entry.output_hash != hash_of(observed);
}

bool are_comparable(const std::string& expected, const std::string& observed) {
  return part_of(expected, "format") == part_of(observed, "format");
}

std::optional<Divergence> check_state(const NodeId& node, const std::string& expected,
                                      const std::string& observed) {
  if (expected == observed) return std::nullopt;
  Divergence divergence{.node = node, .state = differing_parts(expected, observed)};
  divergence.expected.output = expected;
  divergence.observed.output = observed;
  return divergence;
}

Error to_error(const Divergence& divergence) {
  const std::string subject = divergence.state.empty()
                                  ? "'" + describe(LogEntry{.text = divergence.command}) + "'"
                                  : "node " + divergence.node.value();
  std::string message = "replaying " + subject + " diverged: " + what_differs(divergence);
  if (!divergence.state.empty()) message += ", although every output and exit status is the same";
  Error error = fail(ErrorCode::kDiverged, std::move(message),
                     "restore a physical ancestor, or accept the difference");
  if (!divergence.state.empty()) error.details["state"] = divergence.state;
  error.details["node"] = divergence.node.value();
  error.details["index"] = std::to_string(divergence.index);
  error.details["step"] = std::to_string(divergence.step);
  error.details["command"] = divergence.command;
  write_outcome(error, "expected", divergence.expected);
  write_outcome(error, "observed", divergence.observed);
  return error;
}

std::optional<Divergence> divergence_of(const Error& error) {
  if (error.code != ErrorCode::kDiverged) return std::nullopt;
  Divergence d{.node = NodeId(read_text(error, "node")),
               .command = read_text(error, "command"),
               .state = read_text(error, "state")};
  bool whole = read_number(error, "index", d.index) && read_number(error, "step", d.step) &&
               read_outcome(error, "expected", d.expected) &&
               read_outcome(error, "observed", d.observed);
  if (!whole) return std::nullopt;
  return d;
}

}  // namespace sf::control
