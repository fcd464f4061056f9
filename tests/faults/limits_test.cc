// Limits of disk, memory and processes. If a limit is exceeded, the operation fails with a clear
// error and the branch continues.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>
#include <string>

#include "branch_state.h"
#include "fault_store.h"
#include "os/cgroup.h"
#include "os/file.h"
#include "os/mount.h"
#include "os/process.h"
#include "process_search.h"
#include "small_disk.h"
#include "testing/matchers.h"

namespace sf::faults {
namespace {

using ::testing::HasSubstr;
using waypoint::BranchConfig;
using waypoint::BranchId;
using waypoint::CheckpointId;
using waypoint::CheckpointInfo;
using waypoint::FileLayerKind;
using waypoint::Waypoint;

constexpr std::uint64_t kMiB = 1U << 20U;
constexpr auto kTimeout = seconds(60);  // btrfs frees space with a delay

std::string cgroup_name(pid_t keeper) {
  std::string command = os::command_line(keeper);  // waypoint-keeper STORE ID ...
  std::size_t id = command.find(" k-");
  return id == std::string::npos ? "" : command.substr(id + 1, command.find(' ', id + 1) - id - 1);
}

class LimitsTest : public ::testing::Test {
 protected:
  void start(const BranchConfig& config, waypoint::WaypointOptions options = {}) {
    store_.emplace(std::move(options));
    ASSERT_OK(store_->open());
    ASSERT_OK_AND_ASSIGN(branch_, manager().start(config));
    ASSERT_OK(put_word(manager(), branch_, "old"));
  }

  Waypoint& manager() { return store_->manager(); }
  Observation run(const std::string& command) {
    auto result = manager().exec(branch_, {.command = command, .timeout = kTimeout});
    EXPECT_OK(result);
    return result ? std::move(*result) : Observation{.exit_code = -1};
  }
  CheckpointId checkpoint() {
    auto info = manager().checkpoint(branch_);
    EXPECT_OK(info);
    if (!info) return CheckpointId();
    kept_.insert(info->id);
    return info->id;
  }
  void expect_word(const std::string& expected) {
    ASSERT_OK_AND_ASSIGN(std::string word, word_in(manager(), branch_));
    EXPECT_EQ(word, expected);
  }
  os::Cgroup cgroup() {
    return os::Cgroup::find(os::read_cgroup_layout(),
                            cgroup_name(manager().branches().at(0).keeper_pid));
  }

  std::optional<FaultStore> store_;
  BranchId branch_;
  std::set<CheckpointId> kept_;
};

TEST_F(LimitsTest, FullDiskIsReportedAndWorkContinuesOnceThereIsRoom) {
  start({}, {.file_layers = FileLayerKind::kBtrfs, .store_bytes = 1024 * kMiB});
  ASSERT_FALSE(HasFatalFailure());
  CheckpointId before = checkpoint();
  Observation filled = run("dd if=/dev/zero of=/root/fill bs=1M");
  EXPECT_NE(filled.exit_code, 0);
  EXPECT_THAT(filled.output, HasSubstr("No space left on device"));

  auto full = manager().checkpoint(branch_);
  if (full) {
    kept_.insert(full->id);
  } else {
    EXPECT_EQ(full.error().code, ErrorCode::kNoSpace) << full.error().describe();
  }
  expect_word("old");
  ASSERT_OK_AND_ASSIGN(std::string word, word_at(manager(), before));
  EXPECT_EQ(word, "old");

  EXPECT_EQ(run("rm /root/fill").exit_code, 0);
  if (full) {
    kept_.erase(full->id);
    ASSERT_OK(manager().remove(full->id));
  }
  ASSERT_TRUE(becomes_true(
      [&] { return run("dd if=/dev/zero of=/root/again bs=1M count=600").exit_code == 0; },
      Deadline::after(kTimeout)))
      << "a removed checkpoint frees its space";
  ASSERT_OK(put_word(manager(), branch_, "new"));
  CheckpointId after = checkpoint();
  ASSERT_OK(manager().restore(branch_, before));
  expect_word("old");
  ASSERT_OK(manager().restore(branch_, after));
  expect_word("new");
  store_->expect_nothing_left_but(kept_);
}

void survive_a_full_host(const std::string& mount_point, FileLayerKind file_layers) {
  FaultStore store({.store_dir = mount_point + "/store", .file_layers = file_layers});
  ASSERT_OK(store.open());
  Waypoint& manager = store.manager();
  ASSERT_OK_AND_ASSIGN(BranchId branch, manager.start({}));
  ASSERT_OK(put_word(manager, branch, "old"));
  ASSERT_OK_AND_ASSIGN(CheckpointInfo before, manager.checkpoint(branch));
  ASSERT_OK(put_word(manager, branch, "new"));

  fill_up(mount_point + "/fill");
  auto full = manager.checkpoint(branch);
  EXPECT_FALSE(full.ok());
  if (!full) {
    EXPECT_EQ(full.error().code, ErrorCode::kNoSpace) << full.error().describe();
  }
  ASSERT_OK_AND_ASSIGN(Observation alive, manager.exec(branch, {.command = "echo $WORD"}));
  EXPECT_EQ(alive.output, "new\n");

  ASSERT_EQ(::unlink((mount_point + "/fill").c_str()), 0);
  ASSERT_OK_AND_ASSIGN(std::string word, word_in(manager, branch));
  EXPECT_EQ(word, "new");
  ASSERT_OK_AND_ASSIGN(CheckpointInfo after, manager.checkpoint(branch));
  ASSERT_OK(manager.restore(branch, before.id));
  ASSERT_OK_AND_ASSIGN(std::string restored, word_in(manager, branch));
  EXPECT_EQ(restored, "old");
  store.expect_nothing_left_but({before.id, after.id});
}

// Space runs out at every stage of writing an image of more than 24 MB: memory, files, the tree.
void survive_an_image_without_room(const std::string& mount_point, FileLayerKind file_layers) {
  FaultStore store({.store_dir = mount_point + "/store", .file_layers = file_layers});
  ASSERT_OK(store.open());
  Waypoint& manager = store.manager();
  ASSERT_OK_AND_ASSIGN(BranchId branch, manager.start({.engine = waypoint::EngineChoice::kNative}));
  ASSERT_OK(start_heavy(manager, branch));
  ASSERT_OK(put_word(manager, branch, "old"));
  ASSERT_OK_AND_ASSIGN(CheckpointInfo before, manager.checkpoint(branch));

  std::vector<std::uint64_t> rooms = {0, kMiB / 4, 4 * kMiB, 16 * kMiB};
  for (std::uint64_t more = 0; more <= 16; ++more)
    rooms.push_back(before.image_bytes - 2 * kMiB + more * kMiB / 4);
  rooms.push_back(before.image_bytes + 120 * kMiB);
  rooms.push_back(before.image_bytes + 136 * kMiB);
  unsigned failed = 0;
  for (std::size_t i = 0; i < rooms.size() && !::testing::Test::HasFailure(); ++i) {
    SCOPED_TRACE("room of " + std::to_string(rooms[i]) + " bytes");
    const std::string word = "word" + std::to_string(i);
    ASSERT_OK(put_word(manager, branch, word));  // changes every page
    leave_room(mount_point + "/fill", rooms[i]);
    auto taken = manager.checkpoint(branch);
    ASSERT_EQ(::unlink((mount_point + "/fill").c_str()), 0);
    ASSERT_OK_AND_ASSIGN(std::string now, word_in(manager, branch));
    EXPECT_EQ(now, word) << "the branch continues";
    if (taken) {
      ASSERT_OK_AND_ASSIGN(std::string kept, word_at(manager, taken->id));
      EXPECT_EQ(kept, word);
      ASSERT_OK(manager.remove(taken->id));
      continue;
    }
    ++failed;
    EXPECT_EQ(taken.error().code, ErrorCode::kNoSpace) << taken.error().describe();
    EXPECT_THAT(taken.error().hint, HasSubstr("make room")) << taken.error().describe();
  }
  EXPECT_GE(failed, 4U);

  ASSERT_OK(put_word(manager, branch, "new"));
  ASSERT_OK_AND_ASSIGN(CheckpointInfo after, manager.checkpoint(branch));
  ASSERT_OK(manager.restore(branch, before.id));
  ASSERT_OK_AND_ASSIGN(std::string old_word, word_in(manager, branch));
  EXPECT_EQ(old_word, "old");
  ASSERT_OK(manager.restore(branch, after.id));
  ASSERT_OK_AND_ASSIGN(std::string new_word, word_in(manager, branch));
  EXPECT_EQ(new_word, "new");
  store.expect_nothing_left_but({before.id, after.id});
}

// Runs `survive` on a small file system that is mounted only in a child of this process.
void run_on_small_host(FileLayerKind file_layers,
                       void (*survive)(const std::string&, FileLayerKind)) {
  test::TempDir dir("sf-small-host");
  std::fflush(nullptr);
  pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    EXPECT_EQ(::unshare(CLONE_NEWNS), 0);
    EXPECT_OK(os::make_mounts_private());
    EXPECT_EQ(::mount("small", dir.path().c_str(), "tmpfs", 0, "size=640m"), 0);
    if (!::testing::Test::HasFailure()) survive(dir.path(), file_layers);
    std::fflush(nullptr);
    ::_exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(os::ExitStatus::from_wait(status).shell_code(), 0) << "see the child's failures above";
}

TEST(FullHostTest, FailedCheckpointIsReportedAndABranchOfPlainDirectoriesContinues) {
  run_on_small_host(FileLayerKind::kCopy, survive_a_full_host);
}

TEST(FullHostTest, FailedCheckpointIsReportedAndABranchOnBtrfsContinues) {
  run_on_small_host(FileLayerKind::kBtrfs, survive_a_full_host);
}

TEST(FullHostTest, NativeImageWithoutRoomIsReportedAndABranchOfPlainDirectoriesContinues) {
  run_on_small_host(FileLayerKind::kCopy, survive_an_image_without_room);
}

TEST(FullHostTest, NativeImageWithoutRoomIsReportedAndABranchOnBtrfsContinues) {
  run_on_small_host(FileLayerKind::kBtrfs, survive_an_image_without_room);
}

TEST_F(LimitsTest, ABranchAtItsPidsLimitIsCheckpointedAndUnharmed) {
  constexpr std::uint64_t kPids = 24;
  start({.limits = {.pids = kPids}});
  ASSERT_FALSE(HasFatalFailure());
  CheckpointId before = checkpoint();
  // Start them one by one, because processes that are about to exit count as well.
  auto is_full = [&] {
    run(":");
    return cgroup().processes().size() == kPids;
  };
  while (!is_full()) {
    Observation added = run("sleep 100000 & WORD=full");
    ASSERT_EQ(added.exit_code, 0) << added.output;
  }
  EXPECT_EQ(manager().side_exec(branch_, {.argv = {"true"}}).ok(), false) << "no pid is left";

  CheckpointId full = checkpoint();
  ASSERT_FALSE(HasFailure());
  EXPECT_EQ(run("echo $WORD").output, "full\n");
  Status restored = manager().restore(branch_, full);
  EXPECT_OK(restored);
  EXPECT_EQ(run("echo $WORD").output, "full\n");
  EXPECT_EQ(cgroup().processes().size(), kPids);
  ASSERT_OK(manager().restore(branch_, before));
  expect_word("old");
  store_->expect_nothing_left_but(kept_);
}

TEST_F(LimitsTest, ForkBombIsLimitedAndTheShellWorksOnceItIsKilled) {
  start({.limits = {.pids = 48}});
  ASSERT_FALSE(HasFatalFailure());
  CheckpointId before = checkpoint();
  auto bomb = manager().exec(
      branch_, {.command = ":() { : | : & }; :", .timeout = seconds(5), .max_output = 4096});
  EXPECT_OK(bomb);
  // kill(-1) reaches every process of the branch except its init and the calling shell.
  EXPECT_TRUE(becomes_true(
      [&] {
        auto killed = manager().exec(branch_, {.command = "kill -9 -1", .timeout = seconds(20)});
        return killed && !killed->timed_out && cgroup().processes().size() <= 3;
      },
      Deadline::after(seconds(60))));
  EXPECT_EQ(run("echo $(echo still here)").output, "still here\n");
  ASSERT_OK(manager().restore(branch_, before));
  expect_word("old");
  store_->expect_nothing_left_but(kept_);
}

TEST_F(LimitsTest, ACommandBeyondTheMemoryLimitIsKilledAndTheShellSurvives) {
  start({.limits = {.memory_bytes = 64 * kMiB}});
  ASSERT_FALSE(HasFatalFailure());
  Observation killed = run("head -c 500M /dev/zero | tail -c 400M > /dev/null");
  EXPECT_EQ(killed.exit_code, 137) << killed.output;
  EXPECT_FALSE(killed.shell_restarted);
  expect_word("old");
  CheckpointId here = checkpoint();
  ASSERT_OK(manager().restore(branch_, here));
  expect_word("old");
  EXPECT_EQ(run("head -c 500M /dev/zero | tail -c 400M > /dev/null").exit_code, 137)
      << "the limit holds after a restore";
  store_->expect_nothing_left_but(kept_);
}

TEST_F(LimitsTest, CpuLimitAppliesBeforeAndAfterARestore) {
  if (!os::read_cgroup_layout().can_limit("cpu")) GTEST_SKIP() << "no cpu cgroup controller";
  start({.limits = {.cpus = 0.5}});
  ASSERT_FALSE(HasFatalFailure());
  auto quota = [&]() -> std::string {
    os::Cgroup group = cgroup();
    for (const std::string& directory : group.directories()) {
      for (const char* file : {"/cpu.cfs_quota_us", "/cpu.max"}) {
        if (auto text = os::read_file(directory + file)) return text->substr(0, 5);
      }
    }
    return "none";
  };
  EXPECT_EQ(quota(), "50000");
  CheckpointId here = checkpoint();
  ASSERT_OK(manager().restore(branch_, here));
  EXPECT_EQ(quota(), "50000");
  expect_word("old");
  store_->expect_nothing_left_but(kept_);
}

struct BadLimit {
  const char* name;
  os::CgroupLimits limits;
};

void PrintTo(const BadLimit& limit, std::ostream* out) { *out << limit.name; }

class BadLimitTest : public ::testing::TestWithParam<BadLimit> {};

TEST_P(BadLimitTest, InvalidLimitIsRefusedBeforeAnythingIsStarted) {
  FaultStore store;
  ASSERT_OK(store.open());
  auto branch = store.manager().start({.limits = GetParam().limits});
  ASSERT_FALSE(branch.ok());
  EXPECT_EQ(branch.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(branch.error().message, HasSubstr(GetParam().name));
  store.expect_nothing_left_but({});
}

INSTANTIATE_TEST_SUITE_P(Each, BadLimitTest,
                         ::testing::Values(BadLimit{"memory", {.memory_bytes = kMiB}},
                                           BadLimit{"pids", {.pids = 2}},
                                           BadLimit{"cpu", {.cpus = 0.0}}),
                         [](const ::testing::TestParamInfo<BadLimit>& each) {
                           return std::string(each.param.name);
                         });

TEST(HostWithoutControllersTest, EachLimitIsUnsupportedByName) {
  const BadLimit each[] = {
      {"memory", {.memory_bytes = 64 * kMiB}}, {"pids", {.pids = 64}}, {"cpu", {.cpus = 1.0}}};
  for (const BadLimit& limit : each) {
    auto group = os::Cgroup::create(os::CgroupLayout{}, "k-none", limit.limits);
    ASSERT_FALSE(group.ok());
    EXPECT_EQ(group.error().code, ErrorCode::kUnsupported);
    EXPECT_THAT(group.error().message, HasSubstr(limit.name));
    EXPECT_FALSE(group.error().hint.empty());
  }
}

TEST_F(LimitsTest, ShellRestartsOnceThereIsRoomForAProcess) {
  start({.limits = {.pids = 64}});
  ASSERT_FALSE(HasFatalFailure());
  auto allow = [&](const std::string& most) {
    os::Cgroup group = cgroup();
    for (const std::string& directory : group.directories()) {
      if (!os::exists(directory + "/pids.max")) continue;
      ASSERT_OK(os::write_file(directory + "/pids.max", most));
    }
  };
  allow("1");
  EXPECT_TRUE(run("exit 3").shell_restarted);
  for (int i = 0; i < 2; ++i) {
    auto refused = manager().exec(branch_, {.command = "true"});
    ASSERT_FALSE(refused.ok());
    EXPECT_THAT(refused.error().message, HasSubstr("fork")) << refused.error().describe();
  }
  allow("64");
  EXPECT_EQ(run("cat /root/word").exit_code, 0);
  store_->expect_nothing_left_but(kept_);
}

}  // namespace
}  // namespace sf::faults
