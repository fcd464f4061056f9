// One native branch with a heavy process, and checkpoints with a known word in each. Shared by the
// tests that kill keepers and managers.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <string>

#include "branch_state.h"
#include "fault_store.h"
#include "testing/matchers.h"

namespace sf::faults {

// SF_KILLS sets the number of rounds, SF_SEED the random sequence.
inline unsigned setting(const char* name, unsigned otherwise) {
  const char* wanted = std::getenv(name);
  return wanted == nullptr ? otherwise : static_cast<unsigned>(std::strtoul(wanted, nullptr, 10));
}

class HeavyBranchTest : public ::testing::Test {
 protected:
  void begin(const std::string& word) {
    ASSERT_OK(store_.open());
    ASSERT_OK_AND_ASSIGN(branch_, manager().start({.engine = waypoint::EngineChoice::kNative}));
    ASSERT_OK(start_heavy(manager(), branch_));
    ASSERT_OK(put_word(manager(), branch_, word));
    ASSERT_OK_AND_ASSIGN(waypoint::CheckpointInfo info, manager().checkpoint(branch_));
    first_ = info.id;
    first_took_ = info.took;
    known_[first_] = word;
  }

  waypoint::Waypoint& manager() { return store_.manager(); }

  // Every acknowledged checkpoint has its word, and nothing else is left.
  void expect_checkpoints() {
    std::set<waypoint::CheckpointId> all;
    for (const auto& [id, word] : known_) {
      ASSERT_OK_AND_ASSIGN(std::string found, word_at(manager(), id));
      EXPECT_EQ(found, word);
      all.insert(id);
    }
    store_.expect_nothing_left_but(all);
  }

  const unsigned rounds_ = setting("SF_KILLS", 20);
  std::mt19937 random_{setting("SF_SEED", 20261117)};
  FaultStore store_;
  waypoint::BranchId branch_;
  waypoint::CheckpointId first_;
  microseconds first_took_{0};
  std::map<waypoint::CheckpointId, std::string> known_;  // acknowledged, with the word of each
};

}  // namespace sf::faults
