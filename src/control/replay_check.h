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
  std::string state;     // how the state differs, although every output was the same; or empty
  ReplayOutcome expected;
  ReplayOutcome observed;
  friend bool operator==(const Divergence&, const Divergence&) = default;
};

// Compares exit status, time-out and the whole output (by its hash and its size).
std::optional<Divergence> check_replay(const ReplayStep& step, const Observation& observed);

// Compares the digest of a node with that of its replay. `log`: of the node.
std::optional<Divergence> check_state(const NodeId& node, const CommandLog& log,
                                      const std::string& expected, const std::string& observed);

// The kDiverged error that carries all of it in its details, and the way back from there.
Error to_error(const Divergence& divergence);
std::optional<Divergence> divergence_of(const Error& error);

}  // namespace sf::control
