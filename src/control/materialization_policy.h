// MaterializationPolicy: port that decides whether a new node is physical or virtual. All facts are
// passed as values, so each rule is easy to test.
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
  std::uint64_t resident_memory = 0;    // m: bytes of the whole live session
  microseconds replay_cost{0};          // C_replay: command time since the nearest physical node
  std::size_t virtual_nodes_since = 0;  // between here and the nearest physical node
  bool draws_by_chance = false;         // a replay would most likely print something else
};

// One measured physical snapshot.
struct CostSample {
  std::uint64_t memory_bytes = 0;
  microseconds took{0};
  friend bool operator==(const CostSample&, const CostSample&) = default;
};

class MaterializationPolicy {  // Thread-safe: the sessions of a backend may share one.
 public:
  virtual ~MaterializationPolicy() = default;
  virtual std::string name() const = 0;  // the name that make_policy() accepts
  virtual Materialization decide(const SnapshotFacts& facts) const = 0;
  // Whether the policy ever chooses a virtual node. If so, commands are run so that it can be
  // proven.
  virtual bool makes_virtual_nodes() const { return true; }
  // Whether a virtual node that was just replayed becomes physical. facts.replay_cost is the time
  // that was spent on its replays so far.
  virtual bool should_promote(const SnapshotFacts& /*facts*/) const { return false; }
  virtual void learn(const CostSample& /*sample*/) {}
};

// A reason to make the node physical without asking the policy, as text for people, or nullopt:
// - the log has an entry that cannot be replayed (typed keys, unknown outcomes) or that diverged
//   before;
// - a command timed out: a replay would wait as long, and would be cut off at another point;
// - a command left processes running: what they did since then is in no log.
std::optional<std::string> reason_to_materialize(const CommandLog& log);

}  // namespace sf::control
