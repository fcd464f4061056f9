// CostModel: alpha and beta of C_phys = alpha*m + beta, estimated from a backend's own snapshots.
//
// Fits a straight line through the newest samples by least squares with Huber's weights, so a
// snapshot that was slow because the machine was busy has little influence. If there are no
// samples, or all have one size, the backend's estimate is used. Pure; not thread-safe.
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

  // All samples, oldest first. add() them to a new model to get the same model.
  std::vector<CostSample> samples() const { return {samples_.begin(), samples_.end()}; }

 private:
  CostLine prior_;
  CostLine line_;
  std::deque<CostSample> samples_;
};

// Neither alpha nor beta is ever negative.
CostLine fit_cost_line(const CostLine& prior, const std::deque<CostSample>& samples);

}  // namespace sf::control
