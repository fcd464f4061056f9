// Verified replay: compares the result of a repeated command with the recorded one. Pure.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "control/restore_plan.h"

namespace sf::control {

struct ReplayOutcome {
  int exit_code = 0;
  bool timed_out = false;
  std::string output;  // at most kMaxKeptOutput, head and tail
  friend bool operator==(const ReplayOutcome&, const ReplayOutcome&) = default;
};

struct Divergence {
  NodeId node;  // the entry is number `index` of this node's log
  std::size_t index = 0;
  std::size_t step = 0;  // how many commands had been replayed before it
  std::string command;   // at most kMaxKeptOutput
  // Set if the node's state differs although every output and exit status is the same. It is
  // unknown which command caused it: `command` is empty, `index` is 0, and the outputs are the
  // digests. Empty if the command differs.
  std::string state;
  ReplayOutcome expected;
  ReplayOutcome observed;
  friend bool operator==(const Divergence&, const Divergence&) = default;
};

// Compares exit status, time-out and the whole output (by its hash and its size). If version 0.1.0
// recorded a truncated output, compares only the kept part and the size.
std::optional<Divergence> check_replay(const ReplayStep& step, const Observation& observed);
// Whether the entry has no record of the output beyond the kept part. Requires: check_replay()
// found no divergence.
bool was_partly_recorded(const LogEntry& entry, const Observation& observed);

// Whether two digests have the same format: their first word is an equal "format:N", or neither has
// one.
bool are_comparable(const std::string& expected, const std::string& observed);
// Compares the digest of a node with that of its replay. Requires: they are comparable.
std::optional<Divergence> check_state(const NodeId& node, const std::string& expected,
                                      const std::string& observed);

// The kDiverged error with the divergence in its details and a hint how to recover.
Error to_error(const Divergence& divergence);
std::optional<Divergence> divergence_of(const Error& error);

}  // namespace sf::control
