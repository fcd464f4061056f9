// SessionStats: counters of a session since this process opened it. Numbers that must survive a
// restart are in the catalog's operation log.
#pragma once

#include <cstdint>

#include "base/clock.h"

namespace sf::control {

struct SessionStats {
  std::uint64_t commands = 0;
  std::uint64_t physical_snapshots = 0;
  std::uint64_t virtual_snapshots = 0;
  std::uint64_t unchanged_snapshots = 0;  // physical ones that share the previous snapshot
  std::uint64_t fallbacks = 0;            // could not be captured and became virtual
  std::uint64_t promotions = 0;           // virtual nodes made physical after a replay
  std::uint64_t restores = 0;
  std::uint64_t forked_branches = 0;
  std::uint64_t replayed_commands = 0;
  std::uint64_t divergences = 0;
  std::uint64_t removed_nodes = 0;

  microseconds command_time{0};
  microseconds checkpoint_time{0};
  microseconds stopped_time{0};
  microseconds replay_time{0};

  // Current values.
  std::uint64_t nodes = 0;
  std::uint64_t physical_refs = 0;  // distinct
  std::uint64_t ready_refs = 0;     // those of them that have a prerestore
  std::uint64_t physical_bytes = 0;
  std::uint64_t live_branches = 0;
};

}  // namespace sf::control
