// Many threads on one branch; stores with records of another version, boot or engine.
#include <gtest/gtest.h>

#include <thread>

#include "branch_state.h"
#include "fault_store.h"
#include "os/file.h"
#include "testing/matchers.h"

namespace sf::faults {
namespace {

using waypoint::BranchId;
using waypoint::CheckpointId;
using waypoint::CheckpointInfo;
using waypoint::Waypoint;

class ConcurrencyTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK(store_.open());
    ASSERT_OK_AND_ASSIGN(branch_, manager().start({}));
    ASSERT_OK(put_word(manager(), branch_, "old"));
    ASSERT_OK_AND_ASSIGN(CheckpointInfo info, manager().checkpoint(branch_));
    checkpoint_ = info.id;
  }
  Waypoint& manager() { return store_.manager(); }
  std::string manifest() const {
    return store_.path() + "/checkpoints/" + checkpoint_.value() + "/manifest.json";
  }
  static void replace_in(const std::string& path, const std::string& from, const std::string& to) {
    ASSERT_OK_AND_ASSIGN(std::string text, os::read_file(path));
    std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from << " in " << text;
    ASSERT_OK(os::write_file(path, text.replace(at, from.size(), to)));
  }

  FaultStore store_;
  BranchId branch_;
  CheckpointId checkpoint_;
};

TEST_F(ConcurrencyTest, CheckpointsAndRestoresOfOneBranchFromManyThreadsDoNotLoseIt) {
  constexpr int kRounds = 4;
  std::mutex mutex;
  std::set<CheckpointId> all = {checkpoint_};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 2; ++i) {
      threads.emplace_back([&] {
        for (int round = 0; round < kRounds; ++round) {
          auto made = manager().checkpoint(branch_);
          EXPECT_OK(made);
          std::lock_guard lock(mutex);
          if (made) all.insert(made->id);
        }
      });
      threads.emplace_back([&] {
        for (int round = 0; round < kRounds; ++round)
          EXPECT_OK(manager().restore(branch_, checkpoint_));
      });
    }
  }
  ASSERT_OK_AND_ASSIGN(std::string word, word_in(manager(), branch_));
  EXPECT_EQ(word, "old");
  store_.expect_nothing_left_but(all);
}

TEST_F(ConcurrencyTest, ABranchThatIsEndedDuringACheckpointStaysEnded) {
  std::set<CheckpointId> all = {checkpoint_};
  {
    std::jthread ending([&] { EXPECT_OK(manager().end(branch_)); });
    auto made = manager().checkpoint(branch_);
    if (made) all.insert(made->id);
  }
  EXPECT_TRUE(manager().branches().empty());
  store_.expect_nothing_left_but(all);
}

TEST_F(ConcurrencyTest, ABranchOfAnotherVersionIsNotKilled) {
  store_.close();
  const std::string record = store_.path() + "/branches/" + branch_.value() + ".json";
  replace_in(record, "\"version\": 1", "\"version\": 999");
  Status opened = store_.open();
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, ErrorCode::kUnsupported) << opened.error().describe();
  replace_in(record, "\"version\": 999", "\"version\": 1");
  ASSERT_OK(store_.open());
  ASSERT_OK_AND_ASSIGN(std::string word, word_in(manager(), branch_));
  EXPECT_EQ(word, "old");
  store_.expect_nothing_left_but({checkpoint_});
}

TEST_F(ConcurrencyTest, ACheckpointOfAnotherBootIsRefusedAndTheBranchStays) {
  ASSERT_OK(put_word(manager(), branch_, "new"));
  store_.close();
  replace_in(manifest(), "\"boot_id\": \"", "\"boot_id\": \"0");
  ASSERT_OK(store_.open());
  Status restored = manager().restore(branch_, checkpoint_);
  ASSERT_FALSE(restored.ok());
  EXPECT_EQ(restored.error().code, ErrorCode::kUnsupported) << restored.error().describe();
  ASSERT_OK_AND_ASSIGN(std::string word, word_in(manager(), branch_));
  EXPECT_EQ(word, "new");
  store_.expect_nothing_left_but({checkpoint_});
}

TEST_F(ConcurrencyTest, ACheckpointOfAnotherEngineIsRefused) {
  store_.close();
  replace_in(manifest(), "\"engine\": \"native\"", "\"engine\": \"other\"");
  ASSERT_OK(store_.open());
  auto forks = manager().fork(checkpoint_, 1);
  ASSERT_EQ(forks.size(), 1U);
  ASSERT_FALSE(forks[0].ok());
  EXPECT_EQ(forks[0].error().code, ErrorCode::kUnsupported) << forks[0].error().describe();
  store_.expect_nothing_left_but({checkpoint_});
}

}  // namespace
}  // namespace sf::faults
