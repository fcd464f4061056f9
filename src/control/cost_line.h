// CostLine: the paper's cost model of a physical snapshot, a straight line over memory.
#pragma once

#include <cstdint>

#include "base/clock.h"

namespace sf::control {

struct CostLine {
  double alpha_us_per_mib = 500;  // per MiB of resident memory
  double beta_us = 50'000;        // per snapshot

  friend bool operator==(const CostLine&, const CostLine&) = default;
};

inline double to_mib(std::uint64_t bytes) { return static_cast<double>(bytes) / (1024.0 * 1024.0); }

// C_phys = alpha * m + beta
inline microseconds physical_cost(const CostLine& line, std::uint64_t memory_bytes) {
  return microseconds(
      static_cast<std::int64_t>(line.alpha_us_per_mib * to_mib(memory_bytes) + line.beta_us));
}

}  // namespace sf::control
