// Hosts with restrictions: the store inside the root, read-only paths, missing capabilities, no
// more processes. Either the operation works, or the error names the restriction.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/scope_exit.h"
#include "branch_state.h"
#include "driver_process.h"
#include "fault_store.h"
#include "os/cgroup.h"
#include "os/file.h"
#include "os/mount.h"
#include "os/process.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace sf::faults {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using waypoint::BranchId;
using waypoint::CheckpointInfo;
using waypoint::FileLayerKind;
using waypoint::Waypoint;

constexpr auto kDriverTime = seconds(60);

// Runs `body` in a child with its own mount namespace; its failures are reported by this test.
void with_own_mounts(const std::function<void()>& body) {
  std::fflush(nullptr);
  pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    EXPECT_EQ(::unshare(CLONE_NEWNS), 0);
    EXPECT_OK(os::make_mounts_private());
    if (!::testing::Test::HasFailure()) body();
    std::fflush(nullptr);
    ::_exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(os::ExitStatus::from_wait(status).shell_code(), 0) << "see the child's failures above";
}

// Bind-mounts `what` at `path`, read-only.
void mount_read_only(const std::string& what, const std::string& path) {
  ASSERT_EQ(::mount(what.c_str(), path.c_str(), nullptr, MS_BIND, nullptr), 0);
  ASSERT_EQ(::mount(nullptr, path.c_str(), nullptr, MS_BIND | MS_REMOUNT | MS_RDONLY, nullptr), 0);
}

class StoreInsideTheRootTest : public ::testing::TestWithParam<FileLayerKind> {};

// The branch's file layer is inside the root that the overlay covers. A directory reached through
// both would fail with ELOOP, so the branch must see an empty one.
TEST_P(StoreInsideTheRootTest, StoreIsAnEmptyDirectoryInTheBranchAndAfterARestore) {
  FaultStore store({.file_layers = GetParam()});
  ASSERT_OK(store.open());
  Waypoint& manager = store.manager();
  ASSERT_OK_AND_ASSIGN(BranchId branch, manager.start({.root = "/"}));
  ASSERT_OK(put_word(manager, branch, "old"));
  const std::string look = "ls -A " + store.path() + "; find " + store.path() +
                           "/.. -name upper; echo mine > " + store.path() + "/file; cat " +
                           store.path() + "/file; rm " + store.path() + "/file";
  ASSERT_OK_AND_ASSIGN(Observation seen, manager.exec(branch, {.command = look}));
  EXPECT_EQ(seen.output, "mine\n");
  EXPECT_EQ(seen.exit_code, 0);
  EXPECT_FALSE(os::exists(store.path() + "/file"));

  ASSERT_OK_AND_ASSIGN(CheckpointInfo here, manager.checkpoint(branch));
  ASSERT_OK(manager.restore(branch, here.id));
  ASSERT_OK_AND_ASSIGN(Observation again, manager.exec(branch, {.command = look}));
  EXPECT_EQ(again.output, "mine\n");
  ASSERT_OK_AND_ASSIGN(std::string word, word_in(manager, branch));
  EXPECT_EQ(word, "old");
  store.expect_nothing_left_but({here.id});
}

INSTANTIATE_TEST_SUITE_P(EachKind, StoreInsideTheRootTest,
                         ::testing::Values(FileLayerKind::kBtrfs, FileLayerKind::kCopy),
                         [](const ::testing::TestParamInfo<FileLayerKind>& each) {
                           return std::string(each.param == FileLayerKind::kCopy ? "Copy"
                                                                                 : "Btrfs");
                         });

TEST(ReadOnlyHostTest, ARootOnAReadOnlyPathCanBeWrittenToInTheBranch) {
  with_own_mounts([] {
    test::TempDir root("sf-read-only");
    mount_read_only("/", root.path());
    ScopeExit clean([&] { EXPECT_EQ(::umount(root.path().c_str()), 0); });
    FaultStore store;
    ASSERT_OK(store.open());
    Waypoint& manager = store.manager();
    ASSERT_OK_AND_ASSIGN(BranchId branch, manager.start({.root = root.path()}));
    ASSERT_OK_AND_ASSIGN(Observation written,
                         manager.exec(branch, {.command = "echo mine > /etc/motd && rm "
                                                          "/etc/debian_version && cat /etc/motd"}));
    EXPECT_EQ(written.output, "mine\n");
    ASSERT_OK_AND_ASSIGN(CheckpointInfo here, manager.checkpoint(branch));
    ASSERT_OK(manager.restore(branch, here.id));
    ASSERT_OK_AND_ASSIGN(Observation kept, manager.exec(branch, {.command = "cat /etc/motd"}));
    EXPECT_EQ(kept.output, "mine\n");
    store.expect_nothing_left_but({here.id});
  });
}

TEST(ReadOnlyHostTest, AStoreOnAReadOnlyPathIsAClearError) {
  with_own_mounts([] {
    test::TempDir dir("sf-read-only");
    ASSERT_OK(os::make_directories(dir / "parent"));
    mount_read_only(dir / "parent", dir / "parent");
    auto opened = Waypoint::open({.store_dir = dir / "parent/store"});
    ASSERT_FALSE(opened.ok());
    EXPECT_THAT(opened.error().message, HasSubstr(dir / "parent/store"));
    EXPECT_THAT(opened.error().message, HasSubstr("EROFS"));
    EXPECT_THAT(opened.error().hint, HasSubstr("writable store directory"));
    ASSERT_EQ(::umount((dir / "parent").c_str()), 0);
  });
}

TEST(ReadOnlyHostTest, AStoreThatBecameReadOnlyIsAClearError) {
  with_own_mounts([] {
    FaultStore store;
    ASSERT_OK(store.open());
    store.close();
    mount_read_only(store.path(), store.path());
    auto opened = store.open();
    ASSERT_FALSE(opened.ok());
    EXPECT_THAT(opened.error().message, HasSubstr(store.path()));
    EXPECT_THAT(opened.error().message, HasSubstr("EROFS"));
    EXPECT_FALSE(opened.error().hint.empty()) << opened.error().describe();
    ASSERT_EQ(::umount(store.path().c_str()), 0);
  });
}

class MissingCapabilityTest : public ::testing::TestWithParam<std::string> {};

TEST_P(MissingCapabilityTest, MissingCapabilityIsNamedBeforeAnyChange) {
  FaultStore store;
  std::string name = "CAP_" + GetParam();
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::toupper(c); });
  ASSERT_OK_AND_ASSIGN(
      DriverRun driver,
      run_driver({store.path(), "none", "start"}, Deadline::after(kDriverTime),
                 {.wrapper = {"/usr/bin/setpriv", "--bounding-set=-" + GetParam(), "--"}}));
  EXPECT_EQ(driver.status.text(), "exited 1");
  EXPECT_THAT(driver.said, ElementsAre(AllOf(StartsWith("failed unsupported"), HasSubstr(name),
                                             HasSubstr("doctor"))));
  ASSERT_OK(store.open());
  EXPECT_EQ(store.manager().file_layers(), "btrfs")
      << "a failed open must not create a store that copies files";
  store.expect_nothing_left_but({});
}

INSTANTIATE_TEST_SUITE_P(Each, MissingCapabilityTest,
                         ::testing::Values("sys_admin", "mknod", "net_admin", "setpcap",
                                           "dac_override"),
                         [](const ::testing::TestParamInfo<std::string>& each) {
                           return each.param;
                         });

// A cgroup for a manager and the processes that it starts on the host; the processes of a branch
// have cgroups of their own. The destructor ends every process in it.
class CrowdedGroup {
 public:
  static Result<std::unique_ptr<CrowdedGroup>> make() {
    SF_TRY_ASSIGN(os::Cgroup group,
                  os::Cgroup::create(os::read_cgroup_layout(),
                                     "crowded-" + std::to_string(::getpid()), {.pids = 1000}));
    return std::make_unique<CrowdedGroup>(std::move(group));
  }
  explicit CrowdedGroup(os::Cgroup group) : group_(std::move(group)) {}
  CrowdedGroup(const CrowdedGroup&) = delete;
  CrowdedGroup& operator=(const CrowdedGroup&) = delete;
  ~CrowdedGroup() { EXPECT_OK(group_.remove(Deadline::after(seconds(20)))); }

  // Runs the driver in a group with room for `free` more processes and threads.
  Result<DriverRun> run_driver_among(std::size_t free, const std::vector<std::string>& arguments) {
    for (const std::string& directory : group_.directories()) {
      if (!os::exists(directory + "/pids.max")) continue;
      SF_TRY_ASSIGN(std::string now, os::read_file(directory + "/pids.current"));
      SF_TRY(os::write_file(directory + "/pids.max", std::to_string(std::stoul(now) + free)));
    }
    return run_driver(arguments, Deadline::after(kDriverTime),
                      {.cgroup_procs = group_.procs_files()});
  }

 private:
  os::Cgroup group_;
};

constexpr std::size_t kPlenty = 40;

void expect_clear_failure(const DriverRun& run) {
  EXPECT_EQ(run.status.text(), "exited 1");
  EXPECT_THAT(run.said, ElementsAre(AllOf(StartsWith("failed "), HasSubstr("EAGAIN"))));
}

class CrowdedHostTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_OK_AND_ASSIGN(group_, CrowdedGroup::make()); }

  std::unique_ptr<CrowdedGroup> group_;  // is destroyed after the store's keepers
  FaultStore store_;
};

TEST_F(CrowdedHostTest, FailedStartReportsThatNoProcessCouldBeMade) {
  std::size_t failed = 0;
  for (std::size_t free = 1; free < kPlenty; ++free) {
    SCOPED_TRACE("room for " + std::to_string(free));
    ASSERT_OK_AND_ASSIGN(DriverRun run,
                         group_->run_driver_among(free, {store_.path(), "none", "start"}));
    ASSERT_OK(store_.open());  // ends unreferenced branches
    EXPECT_EQ(store_.manager().branches().size(), run.status.code == 0 ? 1U : 0U);
    store_.close();
    if (run.status.code == 0) break;
    expect_clear_failure(run);
    ++failed;
  }
  EXPECT_GT(failed, 0U);
  EXPECT_LT(failed, kPlenty - 1);
  store_.expect_nothing_left_but({});
}

TEST_F(CrowdedHostTest, FailedRestoreLeavesTheBranchUnchanged) {
  ASSERT_OK(store_.open());
  ASSERT_OK_AND_ASSIGN(BranchId branch, store_.manager().start({}));
  ASSERT_OK(put_word(store_.manager(), branch, "old"));
  ASSERT_OK_AND_ASSIGN(CheckpointInfo here, store_.manager().checkpoint(branch));
  ASSERT_OK(put_word(store_.manager(), branch, "new"));
  std::size_t failed = 0;
  for (std::size_t free = 1; free < kPlenty; ++free) {
    SCOPED_TRACE("room for " + std::to_string(free));
    store_.close();
    ASSERT_OK_AND_ASSIGN(DriverRun run,
                         group_->run_driver_among(free, {store_.path(), "none", "restore",
                                                         branch.value(), here.id.value()}));
    ASSERT_OK(store_.open());
    ASSERT_OK_AND_ASSIGN(std::string word, word_in(store_.manager(), branch));
    EXPECT_EQ(word, run.status.code == 0 ? "old" : "new");
    if (run.status.code == 0) break;
    expect_clear_failure(run);
    ++failed;
  }
  EXPECT_GT(failed, 0U);
  EXPECT_LT(failed, kPlenty - 1);
  store_.expect_nothing_left_but({here.id});
}

}  // namespace
}  // namespace sf::faults
