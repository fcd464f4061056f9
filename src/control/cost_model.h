// CostModel: alpha and beta of C_phys = alpha*m + beta, learnt from a backend's own snapshots.
//
// A straight line through the newest samples, by least squares with Huber's weights: a snapshot
// that took long because the machine was busy moves it little. Before there are samples, and where
// they say nothing (all of one size), the backend's own estimate fills in. Pure; not thread-safe.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "control/cost_line.h"
#include "control/materialization_policy.h"

namespace sf::control {

class CostModel {
 public:
  static constexpr std::size_t kWindow = 64;

  explicit CostModel(CostLine prior = {}) : prior_(prior), line_(prior) {}

  void add(const CostSample& sample);
  const CostLine& line() const { return line_; }
  microseconds physical(std::uint64_t memory_bytes) const {
    return physical_cost(line_, memory_bytes);
  }

  // The whole state as plain numbers: add() them again, oldest first, to have the same model.
  std::vector<CostSample> samples() const { return {samples_.begin(), samples_.end()}; }

 private:
  CostLine prior_;
  CostLine line_;
  std::deque<CostSample> samples_;
};

// The line itself. Neither alpha nor beta is ever negative.
CostLine fit_cost_line(const CostLine& prior, const std::deque<CostSample>& samples);

}  // namespace sf::control
