// MaterializationPolicy: port. Shall a new node be physical or virtual? Facts come in as values, so
// every rule is testable in three lines.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "control/branch_tree.h"

namespace sf::control {

enum class Materialization { kPhysical, kVirtual };

std::string_view to_string(Materialization kind);

struct SnapshotFacts {
  std::uint64_t resident_memory = 0;    // m: bytes, of the whole live session
  microseconds replay_cost{0};          // C_replay: command time since the nearest physical node
  std::size_t virtual_nodes_since = 0;  // between here and the nearest physical node
  bool draws_by_chance = false;         // replay would most likely draw something else
};

// One physical snapshot as it was measured.
struct CostSample {
  std::uint64_t memory_bytes = 0;
  microseconds took{0};
  friend bool operator==(const CostSample&, const CostSample&) = default;
};

class MaterializationPolicy {  // Thread-safe: the sessions of a backend may share one.
 public:
  virtual ~MaterializationPolicy() = default;
  virtual std::string name() const = 0;  // as make_policy() takes it
  virtual Materialization decide(const SnapshotFacts& facts) const = 0;
  // Whether it ever decides for a virtual node: then commands are run so that one can be proven.
  virtual bool makes_virtual_nodes() const { return true; }
  // A virtual node was just brought back by replay, and facts.replay_cost was spent on that so far:
  // is now the time to make it physical?
  virtual bool should_promote(const SnapshotFacts& /*facts*/) const { return false; }
  virtual void learn(const CostSample& /*sample*/) {}
};

// No policy is asked where replay is known to be no way back: a reason, for people, or nothing.
// - what cannot be done again (typed keys, unknown outcomes) or was seen to diverge;
// - commands that timed out: replay would wait as long again, and be cut off elsewhere;
// - commands that left processes behind: what these did since is in no log.
std::optional<std::string> reason_to_materialize(const CommandLog& log);

}  // namespace sf::control
