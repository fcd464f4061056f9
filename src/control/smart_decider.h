// SmartDecider: the paper's rule. A node is physical if a snapshot costs no more than the replay
// that it saves: C_phys = alpha*m + beta <= C_replay. If a replay would likely lead to another
// state, the node is physical too.
#pragma once

#include <mutex>
#include <vector>

#include "control/cost_model.h"
#include "control/materialization_policy.h"

namespace sf::control {

constexpr Materialization cheaper(microseconds physical_cost, microseconds replay_cost) {
  return physical_cost <= replay_cost ? Materialization::kPhysical : Materialization::kVirtual;
}

class SmartDecider final : public MaterializationPolicy {
 public:
  explicit SmartDecider(CostModel model) : model_(std::move(model)) {}

  std::string name() const override { return "smart"; }
  Materialization decide(const SnapshotFacts& facts) const override {
    if (facts.draws_by_chance) return Materialization::kPhysical;
    std::lock_guard lock(mutex_);
    return cheaper(model_.physical(facts.resident_memory), facts.replay_cost);
  }
  // The same rule for past replays: if replaying a node has cost as much as a snapshot, make it
  // physical.
  bool should_promote(const SnapshotFacts& facts) const override {
    return decide(facts) == Materialization::kPhysical;
  }
  void learn(const CostSample& sample) override {
    std::lock_guard lock(mutex_);
    model_.add(sample);
  }
  CostModel model() const {
    std::lock_guard lock(mutex_);
    return model_;
  }

 private:
  mutable std::mutex mutex_;
  CostModel model_;
};

}  // namespace sf::control
