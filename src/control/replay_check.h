// Verified replay: did a command that was done again do what it did the first time? Pure.
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
  std::size_t step = 0;  // how many commands had been replayed right before it
  std::string command;   // at most kMaxKeptOutput
  // What differs of the node although every output and exit status is the same. Which command is to
  // blame is not known then: `command` is empty, `index` 0, and the outputs are the digests. Empty:
  // the command differs.
  std::string state;
  ReplayOutcome expected;
  ReplayOutcome observed;
  friend bool operator==(const Divergence&, const Divergence&) = default;
};

// Compares exit status, time-out and the whole output (by its hash and its size). Of an output that
// version 0.1.0 recorded cut short, only what was kept of it, and its size.
std::optional<Divergence> check_replay(const ReplayStep& step, const Observation& observed);
// Whether the entry says nothing of what lies beyond the kept part of the output. Requires:
// check_replay() found no divergence.
bool was_partly_recorded(const LogEntry& entry, const Observation& observed);

// Whether two digests were made in the same way: "format:N" is their first word, or none has one.
bool are_comparable(const std::string& expected, const std::string& observed);
// Compares the digest of a node with that of its replay. Requires: they are comparable.
std::optional<Divergence> check_state(const NodeId& node, const std::string& expected,
                                      const std::string& observed);

// The kDiverged error that carries all of it in its details, and the way back from there.
Error to_error(const Divergence& divergence);
std::optional<Divergence> divergence_of(const Error& error);

}  // namespace sf::control
