// Policies that do not consider cost: the baselines, and tools for tests.
#pragma once

#include <string>

#include "control/materialization_policy.h"

namespace sf::control {

class EagerPolicy final : public MaterializationPolicy {  // makes every node physical
 public:
  std::string name() const override { return "eager"; }
  bool makes_virtual_nodes() const override { return false; }
  Materialization decide(const SnapshotFacts& /*facts*/) const override {
    return Materialization::kPhysical;
  }
};

class LazyPolicy final : public MaterializationPolicy {  // makes every node virtual that may be
 public:
  std::string name() const override { return "lazy"; }
  Materialization decide(const SnapshotFacts& /*facts*/) const override {
    return Materialization::kVirtual;
  }
};

class EveryNthPolicy final : public MaterializationPolicy {  // makes every n-th node physical
 public:
  explicit EveryNthPolicy(std::size_t n) : n_(n) {}
  std::string name() const override { return "every-" + std::to_string(n_); }
  Materialization decide(const SnapshotFacts& facts) const override {
    return facts.virtual_nodes_since + 1 >= n_ ? Materialization::kPhysical
                                               : Materialization::kVirtual;
  }

 private:
  std::size_t n_;
};

}  // namespace sf::control
