// On a full disk operations that free space still work, nothing acknowledged is lost, and
// everything continues once there is space again. The daemon's state is on a small disk of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <string>

#include "daemon_world.h"
#include "os/file.h"
#include "process_search.h"
#include "small_disk.h"
#include "store/database.h"
#include "testing/matchers.h"
#include "waypoint/image_plan.h"

namespace sf::faults {
namespace {

using test::CommandRun;
using test::DaemonWorld;
using ::testing::HasSubstr;
using wire::Json;

constexpr std::uint64_t kMiB = 1U << 20U;
constexpr std::uint64_t kDisk = 3072 * kMiB;
constexpr auto kTimeout = seconds(60);
// The catalog, the daemon's log and process images are outside the store's file system; the store
// keeps the whole reserve free.
constexpr std::uint64_t kSlack = 32 * kMiB;

std::uint64_t free_on(const std::string& disk) { return os::free_bytes(disk).value(); }

std::uint64_t reserve_of(const std::string& disk) {
  struct statvfs info {};
  EXPECT_EQ(::statvfs(disk.c_str(), &info), 0);
  return waypoint::host_reserve(std::uint64_t{info.f_blocks} * info.f_frsize);
}

void expect_done(const CommandRun& ran) { EXPECT_EQ(ran.status, 0) << ran.out << ran.err; }

Json sessions_of(DaemonWorld& world) {
  Json list = Json::parse(world.output({"ls", "--json"}), nullptr, false);
  return list.is_object() ? list["sessions"] : Json::array();
}

// Sessions of this world on a full disk.
class FullDisk {
 public:
  explicit FullDisk(const std::string& disk) : disk_(disk), world_({}, disk + "/state") {
    one_ = world_.output({"new", "/", "--name", "one"});
    other_ = world_.output({"new", "/", "--name", "other"});
    expect_done(world_.exec("one", "echo kept >/root/kept; WORD=kept"));
    node_ = world_.output({"snapshot", "one", "--name", "kept-node"});
    world_.output({"fork", "one", "--name", "side"});
  }
  ~FullDisk() { make_room(); }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

  void fill() const { fill_up(disk_ + "/ballast"); }
  void make_room() const { ::unlink((disk_ + "/ballast").c_str()); }
  void expect_kept_node_restores() {
    expect_done(world_.run({"restore", "one", "kept-node"}));
    EXPECT_EQ(world_.exec_output("one", "cat /root/kept; echo $WORD"), "kept\nkept");
  }
  DaemonWorld& world() { return world_; }
  const std::string& disk() const { return disk_; }

 private:
  std::string disk_;
  DaemonWorld world_;
  std::string one_;
  std::string other_;
  std::string node_;
};

TEST(FullDiskTest, ASessionThatWritesWithoutEndIsStoppedBeforeTheHostsReserve) {
  on_small_disk(kDisk, [](const std::string& disk) {
    FullDisk full(disk);
    DaemonWorld& world = full.world();
    CommandRun filled = world.exec("one", "dd if=/dev/zero of=/root/big bs=1M");
    EXPECT_NE(filled.status, 0);
    EXPECT_THAT(filled.out + filled.err, HasSubstr("No space left on device"));
    EXPECT_GT(free_on(disk) + kSlack, reserve_of(disk));

    expect_done(world.exec("other", "echo still here"));
    expect_done(world.exec("one", "rm /root/big"));
    full.expect_kept_node_restores();
    expect_done(world.run({"rm", "one"}));
    EXPECT_TRUE(
        becomes_true([&] { return free_on(disk) > kDisk * 3 / 4; }, Deadline::after(kTimeout)))
        << "the host must get its space back; free: " << free_on(disk) / kMiB << " MiB";
    expect_done(world.exec("other", "dd if=/dev/zero of=/root/big bs=1M count=1000"));
  });
}

TEST(FullDiskTest, RemovalWorksOnAHostWithoutAFreeBlock) {
  on_small_disk(kDisk, [](const std::string& disk) {
    FullDisk full(disk);
    DaemonWorld& world = full.world();
    expect_done(world.exec("one", "dd if=/dev/zero of=/root/big bs=1M count=50"));
    full.fill();
    for (int i = 0; i < 20; ++i) expect_done(world.exec("one", "echo small"));
    expect_done(world.exec("one", "rm /root/big"));
    expect_done(world.run({"rm", "one/side"}));
    expect_done(world.run({"cleanup", "one", "kept-node", "--force"}));
    expect_done(world.run({"gc"}));
    expect_done(world.run({"rm", "one"}));
    expect_done(world.run({"rm", "other"}));
    EXPECT_EQ(sessions_of(world).size(), 0U);
  });
}

TEST(FullDiskTest, SessionGetsNoSpaceIfAnotherProgramFillsTheHost) {
  on_small_disk(kDisk, [](const std::string& disk) {
    FullDisk full(disk);
    DaemonWorld& world = full.world();
    const std::string image = world.state_dir() + "/store/units.btrfs";
    leave_room(disk + "/little-room", reserve_of(disk) + 256 * kMiB);
    ASSERT_TRUE(becomes_true(
        [&] {
          struct stat info {};
          return ::stat(image.c_str(), &info) == 0 && info.st_blocks * 512 >= info.st_size;
        },
        Deadline::after(kTimeout)))
        << "the store's file has no holes";
    leave_room(disk + "/ballast", 0);
    CommandRun filled = world.exec("one", "dd if=/dev/urandom of=/root/big bs=1M; sync");
    EXPECT_THAT(filled.out + filled.err, HasSubstr("No space left on device"));
    expect_done(world.exec("one", "rm /root/big; sync; echo new >/root/new"));
    for (const Json& session : sessions_of(world)) EXPECT_EQ(session.value("problem", "?"), "");
    ASSERT_EQ(::unlink((disk + "/little-room").c_str()), 0);
    full.make_room();
    EXPECT_EQ(world.exec_output("one", "cat /root/new"), "new") << "the branch was never lost";
    full.expect_kept_node_restores();
  });
}

TEST(FullDiskTest, DaemonKilledOnAFullDiskRestartsWithAllSessions) {
  on_small_disk(kDisk, [](const std::string& disk) {
    FullDisk full(disk);
    DaemonWorld& world = full.world();
    full.fill();
    world.end_daemon(SIGKILL);
    EXPECT_EQ(sessions_of(world).size(), 2U);
    EXPECT_EQ(world.exec_output("one", "echo $WORD"), "kept") << "branches outlive the daemon";
    expect_done(world.run({"rm", "other"}));
    world.end_daemon(SIGKILL);
    EXPECT_EQ(sessions_of(world).size(), 1U);
    full.make_room();
    full.expect_kept_node_restores();
  });
}

TEST(FullDiskTest, ADaemonThatIsStoppedOnAFullDiskStartsAgainWithAllSessions) {
  on_small_disk(kDisk, [](const std::string& disk) {
    FullDisk full(disk);
    DaemonWorld& world = full.world();
    for (int stop = 0; stop < 3; ++stop) {
      full.fill();  // fill the space that a clean stop has freed, too
      world.end_daemon(SIGTERM);
      full.fill();
      EXPECT_EQ(sessions_of(world).size(), 2U);
      EXPECT_EQ(world.exec_output("one", "echo $WORD"), "kept") << "branches outlive the daemon";
      expect_done(world.exec("one", "echo small"));
    }
    full.fill();
    world.end_daemon(SIGTERM);
    full.fill();
    expect_done(world.run({"rm", "other"}));
    EXPECT_EQ(sessions_of(world).size(), 1U);
    full.make_room();
    full.expect_kept_node_restores();
  });
}

TEST(FullDiskTest, SpaceFreedWithoutADaemonReturnsToTheHost) {
  on_small_disk(kDisk, [](const std::string& disk) {
    FullDisk full(disk);
    DaemonWorld& world = full.world();
    const std::uint64_t before = free_on(disk);
    expect_done(world.exec("one", "dd if=/dev/urandom of=/root/big bs=1M count=600; sync"));
    ASSERT_LT(free_on(disk) + 500 * kMiB, before);
    // A process of the session frees the space after the daemon has died, when the test creates
    // /root/go.
    const std::string remover = "sf-remover-of-big";
    expect_done(world.exec("one", "(exec -a " + remover +
                                      " bash -c 'until [ -e /root/go ]; do sleep 0.1; done; "
                                      "rm /root/big; sync') & disown"));
    ASSERT_TRUE(
        becomes_true([&] { return !processes_like(remover).empty(); }, Deadline::after(kTimeout)));
    const std::string root = "/proc/" + std::to_string(*processes_like(remover).begin()) + "/root";
    world.end_daemon(SIGKILL);
    ASSERT_OK(os::write_file(root + "/root/go", "now"));
    ASSERT_TRUE(
        becomes_true([&] { return processes_like(remover).empty(); }, Deadline::after(kTimeout)));
    EXPECT_LT(free_on(disk) + 400 * kMiB, before) << "only a daemon returns the space";
    EXPECT_EQ(sessions_of(world).size(), 2U);  // starts a new daemon
    EXPECT_TRUE(becomes_true([&] { return free_on(disk) + 128 * kMiB > before; },
                             Deadline::after(kTimeout)))
        << "before " << before / kMiB << " MiB, now " << free_on(disk) / kMiB << " MiB";
  });
}

TEST(FullDiskTest, ADaemonWhoseKeepersDiedOnAFullDiskStartsAndItsNodesRestoreOnceThereIsRoom) {
  on_small_disk(kDisk, [](const std::string& disk) {
    FullDisk full(disk);
    DaemonWorld& world = full.world();
    full.fill();
    world.end_daemon(SIGKILL);
    for (pid_t keeper : keepers_of(world.state_dir() + "/store")) ::kill(keeper, SIGKILL);
    Json sessions = sessions_of(world);
    EXPECT_EQ(sessions.size(), 2U);
    expect_done(world.run({"rm", "other"}));
    full.make_room();
    full.expect_kept_node_restores();
  });
}

// Another program takes all space, including the reserve, while a session writes: the store's file
// system fails.
void break_store(FullDisk& full) {
  leave_room(full.disk() + "/ballast", 0);
  (void)full.world().exec("other", "dd if=/dev/urandom of=/root/big bs=1M count=600; sync");
  EXPECT_TRUE(becomes_true([&] { return sessions_of(full.world())[0].value("problem", "") != ""; },
                           Deadline::after(kTimeout)));
}

bool is_writable_again(DaemonWorld& world) {
  return world.run({"restore", "one", "kept-node"}).status == 0 &&
         world.exec("one", "echo again >/root/again && cat /root/again").status == 0;
}

TEST(FullDiskTest, FailedStoreIsReopenedByTheSameDaemonOnceThereIsRoom) {
  on_small_disk(kDisk, [](const std::string& disk) {
    FullDisk full(disk);
    DaemonWorld& world = full.world();
    const pid_t daemon = world.daemon_pid();
    ASSERT_NO_FATAL_FAILURE(break_store(full));
    full.make_room();
    EXPECT_TRUE(becomes_true([&] { return is_writable_again(world); }, Deadline::after(kTimeout)));
    full.expect_kept_node_restores();
    EXPECT_EQ(world.daemon_pid(), daemon);
  });
}

TEST(FullDiskTest, FailedStoreIsReopenedByTheNextDaemonOnceThereIsRoom) {
  on_small_disk(kDisk, [](const std::string& disk) {
    FullDisk full(disk);
    DaemonWorld& world = full.world();
    ASSERT_NO_FATAL_FAILURE(break_store(full));
    world.end_daemon(SIGKILL);
    EXPECT_EQ(sessions_of(world).size(), 2U);
    expect_done(world.run({"rm", "other"}));
    full.make_room();
    EXPECT_TRUE(becomes_true([&] { return is_writable_again(world); }, Deadline::after(kTimeout)));
    full.expect_kept_node_restores();
  });
}

TEST(FullDiskTest, ASessionWhoseStoreCannotBeOpenedIsListedWithTheReasonAndCanBeRemoved) {
  on_small_disk(kDisk, [](const std::string& disk) {
    FullDisk full(disk);
    DaemonWorld& world = full.world();
    world.end_daemon(SIGTERM);
    const std::string image = world.state_dir() + "/store/units.btrfs";
    for (pid_t keeper : keepers_of(world.state_dir() + "/store")) ::kill(keeper, SIGKILL);
    ASSERT_OK(os::rename_path(image, image + ".away"));
    ASSERT_OK(os::make_directories(image));  // a loop device cannot be made from a directory

    Json sessions = sessions_of(world);
    ASSERT_EQ(sessions.size(), 2U);
    EXPECT_THAT(sessions[0]["problem"].get<std::string>(), HasSubstr("units.btrfs"));
    EXPECT_THAT(world.output({"ls"}), HasSubstr("has a problem"));
    CommandRun refused = world.exec("one", "true");
    EXPECT_NE(refused.status, 0);
    EXPECT_THAT(refused.err, HasSubstr("units.btrfs"));
    expect_done(world.run({"rm", "other"}));
    EXPECT_EQ(sessions_of(world).size(), 1U);

    ASSERT_EQ(::rmdir(image.c_str()), 0);
    ASSERT_OK(os::rename_path(image + ".away", image));
    EXPECT_TRUE(becomes_true([&] { return sessions_of(world)[0]["problem"] == ""; },
                             Deadline::after(kTimeout)));
    full.expect_kept_node_restores();
  });
}

TEST(FullDiskTest, UnreferencedCheckpointIsRemovedWhenTheStoreReopens) {
  on_small_disk(kDisk, [](const std::string& disk) {
    FullDisk full(disk);
    DaemonWorld& world = full.world();
    const std::string store = world.state_dir() + "/store";
    expect_done(world.exec("one", "x=1"));
    world.output({"snapshot", "one", "--name", "unnamed"});
    world.end_daemon(SIGTERM);
    {  // simulates a daemon killed between a snapshot and its record
      ASSERT_OK_AND_ASSIGN(auto db, store::Database::open(world.state_dir() + "/catalog.db"));
      ASSERT_OK(db.script("UPDATE nodes SET physical_ref = NULL WHERE name = 'unnamed'"));
      ASSERT_OK(db.trust());
    }
    const std::size_t before = os::list_directory(store + "/checkpoints").value().size();
    for (pid_t keeper : keepers_of(store)) ::kill(keeper, SIGKILL);
    ASSERT_OK(os::rename_path(store + "/units.btrfs", store + "/away"));
    ASSERT_OK(os::make_directories(store + "/units.btrfs"));
    EXPECT_NE(sessions_of(world)[0]["problem"], "");
    EXPECT_EQ(os::list_directory(store + "/checkpoints").value().size(), before);

    ASSERT_EQ(::rmdir((store + "/units.btrfs").c_str()), 0);
    ASSERT_OK(os::rename_path(store + "/away", store + "/units.btrfs"));
    EXPECT_TRUE(becomes_true([&] { return sessions_of(world)[0]["problem"] == ""; },
                             Deadline::after(kTimeout)));
    EXPECT_EQ(os::list_directory(store + "/checkpoints").value().size(), before - 1);
    full.expect_kept_node_restores();
  });
}

TEST(FullDiskTest, RemovedSessionFreesTheHostsDiskSpace) {
  on_small_disk(kDisk, [](const std::string& disk) {
    FullDisk full(disk);
    DaemonWorld& world = full.world();
    const std::uint64_t before = free_on(disk);
    expect_done(world.run({"new", "/", "--name", "large"}));
    // The other session's files are in between, so no part of the store becomes completely empty.
    for (int i = 0; i < 14; ++i) {
      const std::string name = "/root/big" + std::to_string(i);
      expect_done(world.exec("large", "dd if=/dev/urandom of=" + name + " bs=1M count=50"));
      expect_done(world.run({"snapshot", "large"}));
      expect_done(world.exec("other", "dd if=/dev/urandom of=" + name + " bs=1M count=1"));
      expect_done(world.run({"snapshot", "other"}));
    }
    EXPECT_TRUE(becomes_true([&] { return free_on(disk) + 600 * kMiB < before; },
                             Deadline::after(kTimeout)));
    expect_done(world.run({"rm", "large"}));
    EXPECT_TRUE(becomes_true([&] { return free_on(disk) + 128 * kMiB > before; },
                             Deadline::after(kTimeout)))
        << "before " << before / kMiB << " MiB, now " << free_on(disk) / kMiB << " MiB";
  });
}

TEST(FullDiskTest, StoreFileStartsSmallAndNeverExceedsTheHostsSpace) {
  on_small_disk(kDisk, [](const std::string& disk) {
    FullDisk full(disk);
    struct stat image {};
    ASSERT_EQ(::stat((full.world().state_dir() + "/store/units.btrfs").c_str(), &image), 0);
    const auto holes = static_cast<std::uint64_t>(image.st_size - image.st_blocks * 512);
    EXPECT_LT(holes, free_on(disk));
    EXPECT_LT(static_cast<std::uint64_t>(image.st_blocks) * 512, 256 * kMiB);
  });
}

std::string mounts_here() { return os::read_file("/proc/self/mountinfo").value(); }

TEST(HostMountsTest, KeeperMountsAndHostMountsDoNotAffectEachOther) {
  on_small_disk(kDisk, [](const std::string& disk) {
    const std::string before = mounts_here();
    FullDisk full(disk);
    EXPECT_EQ(mounts_here(), before);
    ASSERT_EQ(::mount("over", "/run", "tmpfs", 0, nullptr), 0);
    EXPECT_EQ(full.world().exec_output("one", "echo $WORD"), "kept");
    expect_done(full.world().run({"new", "/", "--name", "third"}));
    expect_done(full.world().run({"snapshot", "one"}));
    full.expect_kept_node_restores();
    ASSERT_EQ(::umount("/run"), 0);
    full.expect_kept_node_restores();
    EXPECT_EQ(full.world().exec_output("third", "echo still here"), "still here");
    EXPECT_EQ(mounts_here(), before);
  });
}

TEST(HostMountsTest, KeepersDoNotHoldAnUnmountedHostFileSystem) {
  on_small_disk(kDisk, [](const std::string& disk) {
    const std::string image = disk + "/second.ext4";
    const std::string at = disk + "/second";
    ASSERT_OK(os::make_directories(at));
    ASSERT_OK(mount_new_disk(image, 64 * kMiB, at));
    ASSERT_TRUE(is_loop_attached(image));
    FullDisk full(disk);
    ASSERT_EQ(::umount(at.c_str()), 0);
    EXPECT_TRUE(becomes_true([&] { return !is_loop_attached(image); }, Deadline::after(kTimeout)))
        << "a keeper or a spare holds the unmounted file system";
    expect_done(full.world().exec("one", "echo still here"));
    full.expect_kept_node_restores();
  });
}

TEST(HostMountsTest, NextSessionSeesADirectoryMountedAfterSpareKeepersStarted) {
  on_small_disk(kDisk, [](const std::string& disk) {
    FullDisk full(disk);
    const std::string root = disk + "/root";
    ASSERT_OK(os::make_directories(root));
    ASSERT_OK(os::write_file(root + "/beneath", "the tree that the mount hides"));
    constexpr int kRounds = 4;
    for (int round = 0; round < kRounds; ++round) {
      ASSERT_EQ(::mount("/", root.c_str(), nullptr, MS_BIND, nullptr), 0);
      for (const char* name : {"a", "b", "c"}) {  // more sessions than spare keepers
        expect_done(full.world().run({"new", root, "--name", name}));
        EXPECT_EQ(full.world().exec_output(name, "ls -d /beneath /etc/passwd 2>/dev/null; true"),
                  "/etc/passwd")
            << "round " << round << ", session " << name;
      }
      for (const char* name : {"a", "b", "c"}) expect_done(full.world().run({"rm", name}));
      EXPECT_TRUE(
          becomes_true([&] { return ::umount(root.c_str()) == 0; }, Deadline::after(kTimeout)));
      EXPECT_NE(full.world().run({"new", root, "--name", "none"}).status, 0)
          << "the directory below the mount has no shell";
    }
  });
}

}  // namespace
}  // namespace sf::faults
