// Samples: measured durations by quantity. Pure.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "base/clock.h"

namespace sf::bench {

enum class Quantity {
  kSnapshot,         // Waypoint::checkpoint(), wall
  kSnapshotStopped,  // CheckpointInfo.stopped
  kRestore,          // Waypoint::restore(), wall
  kForkOne,          // Waypoint::fork(checkpoint, 1), wall
  kForkFour,         // Waypoint::fork(checkpoint, 4), wall
  kExec,             // Waypoint::exec("true"), wall
  kPlainShell,       // `true` typed into a plain bash, until its next prompt
  kBareDump,         // CRIU started for the request, as the command line does
  kBareRestore,
  kReadyDump,  // CRIU already started and waiting for the request
  kReadyRestore,
  kIdleSnapshot,  // of an idle branch in the same rounds
  kIdleRestore,
};
inline constexpr std::size_t kQuantities = 13;

std::string_view name_of(Quantity quantity);

class Samples {
 public:
  void add(Quantity quantity, microseconds span);
  const std::vector<double>& milliseconds_of(Quantity quantity) const {
    return values_[static_cast<std::size_t>(quantity)];
  }

 private:
  std::array<std::vector<double>, kQuantities> values_;
};

}  // namespace sf::bench
