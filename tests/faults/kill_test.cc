// SIGKILL to each process: keeper, CRIU, the branch's init, the manager.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <future>
#include <random>
#include <set>
#include <sstream>
#include <string>

#include "branch_state.h"
#include "driver_process.h"
#include "fault_store.h"
#include "os/error.h"
#include "os/file.h"
#include "os/process.h"
#include "os/socket.h"
#include "process_search.h"
#include "testing/matchers.h"

namespace sf::faults {
namespace {

using waypoint::BranchId;
using waypoint::CheckpointId;
using waypoint::CheckpointInfo;
using waypoint::Waypoint;

constexpr auto kPrompt = seconds(10);  // a loss is reported at once; the machine may be busy
constexpr auto kDriverTime = seconds(60);

// Blocks a restore in progress: replaces an image file that CRIU's forked processes read with a
// FIFO without data.
class HeldImage {
 public:
  static Result<HeldImage> hold(const std::string& image) {
    for (const std::string& name : names_in(image)) {
      if (!name.starts_with("mm-")) continue;
      HeldImage held;
      held.path_ = image + "/" + name;
      if (::rename(held.path_.c_str(), (held.path_ + ".held").c_str()) != 0)
        return os::last_error("renaming " + held.path_);
      if (::mkfifo(held.path_.c_str(), 0600) != 0) return os::last_error("making " + held.path_);
      return held;
    }
    return fail(ErrorCode::kNotFound, "no image of a process in " + image);
  }

  bool wait_for_reader(Deadline deadline) {
    return becomes_true(
        [&] {
          auto entry = os::open_file(path_, O_WRONLY | O_NONBLOCK);
          if (entry) entry_ = std::move(*entry);
          return entry_.valid();
        },
        deadline);
  }

  void resume() {
    entry_.reset();
    ASSERT_EQ(::rename((path_ + ".held").c_str(), path_.c_str()), 0);
  }

 private:
  std::string path_;
  os::UniqueFd entry_;
};

class KillTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK(store_.open());
    ASSERT_OK_AND_ASSIGN(branch_, manager().start({.engine = engine_}));
    ASSERT_OK(put_word(manager(), branch_, "old"));
    ASSERT_OK_AND_ASSIGN(CheckpointInfo info, manager().checkpoint(branch_));
    checkpoint_ = info.id;
    ASSERT_OK(put_word(manager(), branch_, "new"));
  }

  Waypoint& manager() { return store_.manager(); }
  pid_t keeper() {
    for (const waypoint::BranchInfo& info : manager().branches()) {
      if (info.id == branch_) return info.keeper_pid;
    }
    return 0;
  }
  pid_t waiting_criu() {
    std::optional<pid_t> worker;
    EXPECT_TRUE(
        becomes_true([&] { return (worker = criu_of(keeper(), CriuWork::kCapture)).has_value(); },
                     Deadline::after(kPrompt)));
    return worker.value_or(0);
  }
  static void kill_now(pid_t pid) {
    ASSERT_GT(pid, 1);
    ASSERT_EQ(::kill(pid, SIGKILL), 0);
  }

  // The result of a call in another thread. If the call hangs, the test fails and the keeper is
  // killed to end it.
  template <typename T>
  static T answer_of(std::future<T>& call, pid_t keeper) {
    if (call.wait_for(kPrompt) != std::future_status::ready) {
      ADD_FAILURE() << "the call hangs";
      if (keeper > 1) ::kill(keeper, SIGKILL);
    }
    return call.get();
  }

  void expect_word(const std::string& expected) {
    ASSERT_OK_AND_ASSIGN(std::string word, word_in(manager(), branch_));
    EXPECT_EQ(word, expected);
  }

  void expect_lost_branch_comes_back() {
    auto lost = manager().exec(branch_, {.command = "true"});
    ASSERT_FALSE(lost.ok());
    EXPECT_EQ(lost.error().code, ErrorCode::kSessionLost) << lost.error().describe();
    ASSERT_OK(manager().restore(branch_, checkpoint_));
    expect_word("old");
    store_.expect_nothing_left_but({checkpoint_});
  }

  // Starts a process with enough memory that the test can kill CRIU while it writes the image.
  void start_big_process() {
    ASSERT_OK_AND_ASSIGN(
        Observation started,
        manager().exec(branch_,
                       {.command = R"({ head -c 400M /dev/zero; sleep 100000; } | tail -c 400M &
until (( $(sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' /proc/$!/status) > 380000 )); do sleep 0.05; done)"}));
    ASSERT_EQ(started.exit_code, 0) << started.output;
  }

  bool criu_writes_memory() const {
    for (const std::string& draft : names_in(store_.path() + "/drafts")) {
      if (os::exists(store_.path() + "/drafts/" + draft + "/image/pages-1.img")) return true;
    }
    return false;
  }

  FaultStore store_;
  BranchId branch_;
  CheckpointId checkpoint_;
  waypoint::EngineChoice engine_ = waypoint::EngineChoice::kAuto;
};

class CriuKillTest : public KillTest {
 protected:
  CriuKillTest() { engine_ = waypoint::EngineChoice::kCriu; }
};

TEST_F(KillTest, KillOfAnIdleKeeperLosesTheBranchWhichCanBeRestored) {
  kill_now(keeper());
  expect_lost_branch_comes_back();
}

TEST_F(KillTest, CommandEndsWithSessionLostWhenItsKeeperIsKilled) {
  auto command = std::async(std::launch::async, [&] {
    return manager().exec(branch_, {.command = "sleep 100000", .timeout = milliseconds(0)});
  });
  bool runs =
      becomes_true([&] { return runs_in_branch_of(keeper(), "sleep"); }, Deadline::after(kPrompt));
  kill_now(keeper());
  EXPECT_TRUE(runs);
  Result<Observation> result = answer_of(command, keeper());
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kSessionLost) << result.error().describe();
  expect_lost_branch_comes_back();
}

TEST_F(KillTest, KilledSpareKeepersAreReplacedByTheNextRestore) {
  std::set<pid_t> spares;
  ASSERT_TRUE(becomes_true([&] { return (spares = spare_keepers(store_.path())).size() == 2; },
                           Deadline::after(kPrompt)));
  for (pid_t spare : spares) kill_now(spare);
  ASSERT_TRUE(
      becomes_true([&] { return spare_keepers(store_.path()).empty(); }, Deadline::after(kPrompt)));
  ASSERT_OK(manager().restore(branch_, checkpoint_));
  expect_word("old");
  store_.expect_nothing_left_but({checkpoint_});
}

TEST_F(KillTest, KillOfInitLosesTheBranchWhichCanBeRestored) {
  auto init = init_of(keeper());
  ASSERT_TRUE(init.has_value());
  auto command = std::async(std::launch::async, [&] {
    return manager().exec(branch_, {.command = "sleep 100000", .timeout = milliseconds(0)});
  });
  EXPECT_TRUE(
      becomes_true([&] { return runs_in_branch_of(keeper(), "sleep"); }, Deadline::after(kPrompt)));
  kill_now(*init);
  Result<Observation> result = answer_of(command, keeper());
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kSessionLost) << result.error().describe();
  expect_lost_branch_comes_back();
}

TEST_F(KillTest, LostBranchIsNotAlive) {
  kill_now(keeper());
  EXPECT_TRUE(
      becomes_true([&] { return !manager().branches().at(0).alive; }, Deadline::after(kPrompt)));
  ASSERT_OK(store_.open());
  EXPECT_TRUE(manager().branches().empty());
  store_.expect_nothing_left_but({checkpoint_});
}

TEST_F(CriuKillTest, AWaitingCriuThatWasKilledDoesNotHurtTheBranch) {
  kill_now(waiting_criu());
  ASSERT_OK_AND_ASSIGN(CheckpointInfo first, manager().checkpoint(branch_));
  expect_word("new");
  ASSERT_OK_AND_ASSIGN(CheckpointInfo second, manager().checkpoint(branch_));
  ASSERT_OK(manager().restore(branch_, checkpoint_));
  expect_word("old");
  ASSERT_OK(manager().restore(branch_, second.id));
  expect_word("new");
  ASSERT_OK(manager().restore(branch_, first.id));
  expect_word("new");
  store_.expect_nothing_left_but({checkpoint_, first.id, second.id});
}

TEST_F(CriuKillTest, ACriuKilledInTheMiddleOfACheckpointFailsItAndTheOldCheckpointRestores) {
  start_big_process();
  pid_t worker = waiting_criu();
  auto checkpoint = std::async(std::launch::async, [&] { return manager().checkpoint(branch_); });
  bool seen = becomes_true([&] { return criu_writes_memory(); }, Deadline::after(kPrompt));
  kill_now(worker);
  Result<CheckpointInfo> result = answer_of(checkpoint, keeper());
  EXPECT_TRUE(seen);
  ASSERT_FALSE(result.ok()) << "CRIU was too fast for this test";
  // If CRIU dies with its parasite code in a process, that process dies as well; then the error
  // reports it.
  if (result.error().message.find("have ended since") == std::string::npos) expect_word("new");
  ASSERT_OK(manager().restore(branch_, checkpoint_));
  expect_word("old");
  store_.expect_nothing_left_but({checkpoint_});
}

TEST_F(CriuKillTest, ACriuKilledInTheMiddleOfARestoreFailsItAndLeavesTheBranch) {
  start_big_process();
  ASSERT_OK_AND_ASSIGN(CheckpointInfo big, manager().checkpoint(branch_));
  ASSERT_OK(put_word(manager(), branch_, "newer"));
  const std::string image = store_.path() + "/checkpoints/" + big.id.value() + "/image";
  ASSERT_OK_AND_ASSIGN(HeldImage held, HeldImage::hold(image));
  auto restore = std::async(std::launch::async, [&] { return manager().restore(branch_, big.id); });
  EXPECT_TRUE(held.wait_for_reader(Deadline::after(kPrompt)));
  // The name of CRIU's log contains the pid of its keeper.
  pid_t restorer = 0;
  for (const std::string& name : names_in(image)) {
    if (name.starts_with("restore-")) restorer = std::stoi(name.substr(8));
  }
  kill_now(criu_of(restorer, CriuWork::kRestore).value_or(0));
  Status result = answer_of(restore, restorer);
  held.resume();
  ASSERT_FALSE(result.ok());
  expect_word("newer");
  ASSERT_OK(manager().restore(branch_, big.id));
  expect_word("new");
  EXPECT_TRUE(runs_in_branch_of(keeper(), "tail"));
  store_.expect_nothing_left_but({checkpoint_, big.id});
}

TEST_F(KillTest, AKeeperKilledInTheMiddleOfACheckpointLosesTheBranchButNoCheckpoint) {
  start_big_process();
  pid_t doomed = keeper();
  auto checkpoint = std::async(std::launch::async, [&] { return manager().checkpoint(branch_); });
  EXPECT_TRUE(becomes_true([&] { return !names_in(store_.path() + "/drafts").empty(); },
                           Deadline::after(kPrompt)));
  kill_now(doomed);
  Result<CheckpointInfo> result = answer_of(checkpoint, doomed);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kSessionLost) << result.error().describe();
  expect_lost_branch_comes_back();
}

TEST_F(CriuKillTest, AManagerKilledInTheMiddleOfACheckpointLeavesTheBranchAndNoDraft) {
  start_big_process();
  store_.close();
  {
    ASSERT_OK_AND_ASSIGN(
        DriverProcess driver,
        DriverProcess::start({store_.path(), "none", "checkpoint", branch_.value()}));
    EXPECT_TRUE(becomes_true([&] { return criu_writes_memory(); }, Deadline::after(kDriverTime)));
    ASSERT_OK(driver.kill());
    ASSERT_OK(driver.wait(Deadline::after(kDriverTime)));
  }
  // The keeper continues its capture without a manager; the next manager must cope with that.
  ASSERT_OK(store_.open());
  expect_word("new");
  ASSERT_OK(manager().restore(branch_, checkpoint_));
  expect_word("old");
  store_.expect_nothing_left_but({checkpoint_});
}

TEST_F(KillTest, ManagerKilledWhileItStartsAKeeperLeavesNoKeeper) {
  store_.close();
  const std::set<std::string> before = names_in(store_.path() + "/keepers");
  {
    ASSERT_OK_AND_ASSIGN(DriverProcess driver,
                         DriverProcess::start({store_.path(), "none", "start"}));
    EXPECT_TRUE(becomes_true([&] { return names_in(store_.path() + "/keepers") != before; },
                             Deadline::after(kDriverTime)));
    ASSERT_OK(driver.kill());
    ASSERT_OK(driver.wait(Deadline::after(kDriverTime)));
  }
  ASSERT_OK(store_.open());  // the new keeper does not listen yet
  expect_word("new");
  store_.expect_nothing_left_but({checkpoint_});
}

// The acknowledgements of a driver before it was killed at a random moment.
struct Acknowledged {
  CheckpointId checkpoint;
  std::string word;
};

Acknowledged parse_acknowledgement(const std::string& line) {
  std::istringstream stream(line);
  std::string kind;
  std::string id;
  std::string word;
  stream >> kind >> id >> word;
  return {CheckpointId(id), word};
}

TEST_F(KillTest, ManagerKilledAtAnyMomentLosesNoAcknowledgedCheckpoint) {
  constexpr unsigned kRounds = 25;
  constexpr unsigned kMostLines = 5;         // acknowledged before the kill
  constexpr unsigned kMostDelayUs = 80'000;  // about one checkpoint
  std::mt19937 random(20260731);
  std::set<CheckpointId> all;
  for (unsigned round = 0; round < kRounds; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    store_.close();
    ASSERT_OK_AND_ASSIGN(DriverProcess driver,
                         DriverProcess::start({store_.path(), "none", "churn", branch_.value(),
                                               "30", std::to_string(round)}));
    std::vector<std::string> lines;
    for (auto wanted = random() % kMostLines; lines.size() < wanted;) {
      ASSERT_OK_AND_ASSIGN(std::optional<std::string> line,
                           driver.read_line(Deadline::after(kDriverTime)));
      ASSERT_TRUE(line.has_value());
      lines.push_back(*line);
    }
    auto delay = microseconds(random() % kMostDelayUs);
    ASSERT_FALSE(becomes_true([] { return false; }, Deadline::after(delay)));
    ASSERT_OK(driver.kill());
    ASSERT_OK_AND_ASSIGN(std::vector<std::string> rest,
                         driver.read_all(Deadline::after(kDriverTime)));
    lines.insert(lines.end(), rest.begin(), rest.end());
    ASSERT_OK(driver.wait(Deadline::after(kDriverTime)));

    ASSERT_OK(store_.open());
    ASSERT_OK(word_in(manager(), branch_)) << "the branch outlives its manager";
    for (const std::string& line : lines) {
      if (!line.starts_with("checkpoint ")) continue;
      Acknowledged made = parse_acknowledgement(line);
      ASSERT_OK_AND_ASSIGN(std::string word, word_at(manager(), made.checkpoint));
      EXPECT_EQ(word, made.word);
    }
  }
  for (const CheckpointInfo& info : manager().checkpoints()) all.insert(info.id);
  EXPECT_GT(all.size(), kRounds / 2);
  store_.expect_nothing_left_but(all);
}

}  // namespace
}  // namespace sf::faults
