#include "waypoint/host/doctor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include "os/error.h"

namespace sf::waypoint {
namespace {

using testing::HasSubstr;

HostFacts healthy() {
  HostFacts facts;
  for (const char* name : {"pid", "mnt", "net", "ipc", "uts", "cgroup"})
    facts.namespaces.insert_or_assign(name, Ok{});
  facts.cgroups.layout.unified = "/sys/fs/cgroup";
  facts.cgroups.layout.unified_controllers = {"cpu", "memory", "pids"};
  facts.cgroups.freezes = true;
  facts.cgroups.kills = true;
  for (const char* name : {"memory", "pids", "cpu"})
    facts.cgroups.limits.insert_or_assign(name, Ok{});
  return facts;
}

Finding finding(const HostFacts& facts, const std::string& id) {
  for (const Finding& found : judge(facts)) {
    if (found.id == id) return found;
  }
  ADD_FAILURE() << "no finding " << id;
  return {};
}

TEST(DoctorTest, AHealthyHostIsReadyForAllEngines) {
  auto findings = judge(healthy());
  for (const Finding& found : findings)
    EXPECT_EQ(found.state, FindingState::kOk) << found.id << ": " << found.detail;
  EXPECT_TRUE(is_ready(findings));
  EXPECT_EQ(summarize(findings), "ready: all engines");
}

TEST(DoctorTest, IdsAreUniqueSnakeCaseAndEveryFindingHasACost) {
  std::set<std::string> seen;
  for (const Finding& found : judge(healthy())) {
    EXPECT_TRUE(seen.insert(found.id).second) << found.id;
    EXPECT_TRUE(std::ranges::all_of(found.id, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    })) << found.id;
    EXPECT_FALSE(found.need.empty()) << found.id;
    EXPECT_FALSE(found.cost.empty()) << found.id;
    EXPECT_TRUE(found.fix.empty()) << found.id << ": nothing to fix";
  }
}

TEST(DoctorTest, AnOldKernelIsMissingAndAnUntestedKernelIsAWarning) {
  HostFacts facts = healthy();
  facts.kernel_release = "5.9.16";
  EXPECT_EQ(finding(facts, "kernel").state, FindingState::kMissing);
  facts.kernel_release = "5.10.0-28-amd64";
  EXPECT_EQ(finding(facts, "kernel").state, FindingState::kWarning);
  facts.kernel_release = "7.1.0";
  EXPECT_EQ(finding(facts, "kernel").state, FindingState::kOk);
}

TEST(DoctorTest, WithoutSysResourceOnlyTheShimIsLost) {
  HostFacts facts = healthy();
  facts.capabilities.erase("sys_resource");
  Finding found = finding(facts, "capability_sys_resource");
  EXPECT_EQ(found.state, FindingState::kWarning);
  EXPECT_THAT(found.cost, HasSubstr("prlimit shim"));
  EXPECT_TRUE(is_ready(judge(facts)));
  EXPECT_EQ(summarize(judge(facts)), "ready: all engines, with 1 warning");
}

TEST(DoctorTest, WithoutPtraceSessionsCannotBeCheckpointed) {
  HostFacts facts = healthy();
  facts.capabilities.erase("sys_ptrace");
  EXPECT_EQ(finding(facts, "capability_sys_ptrace").fix,
            "grant CAP_SYS_PTRACE, such as docker run --cap-add SYS_PTRACE ...");
  EXPECT_EQ(summarize(judge(facts)),
            "not ready: sessions cannot be checkpointed (capability_sys_ptrace); first: grant "
            "CAP_SYS_PTRACE, such as docker run --cap-add SYS_PTRACE ...");
}

TEST(DoctorTest, AnOrdinaryUserIsToldToBecomeRoot) {
  HostFacts facts = healthy();
  facts.root = false;
  facts.capabilities.clear();
  facts.overlay = os::os_error(EPERM, "mounting overlay");
  EXPECT_EQ(summarize(judge(facts)),
            "not ready: sessions cannot run (root, capability_sys_admin, capability_sys_chroot, "
            "capability_setuid and 9 "
            "more); first: sudo statefork doctor");
  for (const char* id : {"root", "capability_sys_admin", "overlay"}) {
    EXPECT_EQ(finding(facts, id).state, FindingState::kMissing) << id;
    EXPECT_EQ(finding(facts, id).fix, "sudo statefork doctor") << id;
  }
}

TEST(DoctorTest, RootOfANestedUserNamespaceIsNotEnough) {
  HostFacts facts = healthy();
  facts.host_user_namespace = false;
  EXPECT_EQ(finding(facts, "root").state, FindingState::kMissing);
}

TEST(DoctorTest, AMissingOverlayModuleIsFixedByModprobe) {
  HostFacts facts = healthy();
  facts.overlay = os::os_error(ENODEV, "file system overlay");
  Finding found = finding(facts, "overlay");
  EXPECT_EQ(found.state, FindingState::kMissing);
  EXPECT_EQ(found.fix, "modprobe overlay");
  EXPECT_EQ(found.detail, "file system overlay: ENODEV: No such device");
  EXPECT_EQ(summarize(judge(facts)),
            "not ready: sessions cannot run (overlay); first: modprobe overlay");
}

TEST(DoctorTest, ANamespaceThatCannotBeMadeIsMissing) {
  HostFacts facts = healthy();
  facts.namespaces.insert_or_assign("net", os::os_error(ENOSPC, "unshare"));
  EXPECT_EQ(finding(facts, "namespace_net").state, FindingState::kMissing);
  EXPECT_EQ(finding(facts, "namespace_pid").state, FindingState::kOk);
}

TEST(DoctorTest, LayoutsOfControlGroupsAreReported) {
  HostFacts facts = healthy();
  EXPECT_EQ(finding(facts, "cgroup_layout").detail, "v2 at /sys/fs/cgroup");
  EXPECT_EQ(finding(facts, "limit_memory").detail, "limited by cgroup v2");
  facts.cgroups.layout.v1 = {{"memory", "/sys/fs/cgroup/memory"}};
  EXPECT_THAT(finding(facts, "cgroup_layout").detail, HasSubstr("hybrid"));
  EXPECT_EQ(finding(facts, "limit_memory").detail, "limited by cgroup v1");
  facts.cgroups.layout.unified.clear();
  EXPECT_EQ(finding(facts, "cgroup_layout").detail, "v1 only");
  EXPECT_EQ(finding(facts, "cgroup_layout").state, FindingState::kWarning);
}

TEST(DoctorTest, ALimitThatCannotBeEnforcedIsAWarning) {
  HostFacts facts = healthy();
  facts.cgroups.limits.insert_or_assign("pids", os::os_error(EBUSY, "enabling pids"));
  EXPECT_EQ(finding(facts, "limit_pids").state, FindingState::kWarning);
  EXPECT_EQ(finding(facts, "limit_pids").fix,
            "mkdir -p /sys/fs/cgroup/init && xargs -rn1 < /sys/fs/cgroup/cgroup.procs > "
            "/sys/fs/cgroup/init/cgroup.procs && echo +pids > "
            "/sys/fs/cgroup/cgroup.subtree_control");
  facts.cgroups.limits.insert_or_assign("pids", os::os_error(ENOENT, "limiting"));
  EXPECT_EQ(finding(facts, "limit_pids").fix, "echo +pids > /sys/fs/cgroup/cgroup.subtree_control");
  EXPECT_TRUE(is_ready(judge(facts)));
}

TEST(DoctorTest, ReadOnlyControlGroupsKeepSessionsFromRunning) {
  HostFacts facts = healthy();
  facts.cgroups.groups = os::os_error(EROFS, "creating cgroup");
  EXPECT_EQ(finding(facts, "cgroup_create").state, FindingState::kMissing);
  EXPECT_EQ(finding(facts, "cgroup_create").fix, "mount -o remount,rw /sys/fs/cgroup");
}

TEST(DoctorTest, WithoutLoopOrBtrfsFilesAreCopied) {
  HostFacts facts = healthy();
  facts.loop = os::os_error(ENOENT, "opening /dev/loop-control");
  facts.mkfs_btrfs = fail(ErrorCode::kUnsupported, "not installed", "apt-get install btrfs-progs");
  for (const char* id : {"loop_device", "mkfs_btrfs"}) {
    EXPECT_EQ(finding(facts, id).state, FindingState::kWarning) << id;
    EXPECT_THAT(finding(facts, id).cost, HasSubstr("copied at each checkpoint"));
  }
  EXPECT_EQ(finding(facts, "mkfs_btrfs").fix, "apt-get install btrfs-progs");
  EXPECT_TRUE(is_ready(judge(facts)));
}

TEST(DoctorTest, AStoreOnAnOverlayNeedsItsOwnFileSystem) {
  HostFacts facts = healthy();
  facts.store->file_system = "overlay";
  EXPECT_EQ(finding(facts, "store").state, FindingState::kOk);
  facts.btrfs = os::os_error(ENODEV, "file system btrfs");
  EXPECT_EQ(finding(facts, "store").state, FindingState::kMissing);
}

TEST(DoctorTest, AStoreMustBeWritableAndHaveSpace) {
  HostFacts facts = healthy();
  facts.store->read_only = true;
  EXPECT_EQ(finding(facts, "store").state, FindingState::kMissing);
  facts = healthy();
  facts.store->writable = false;
  EXPECT_EQ(finding(facts, "store").state, FindingState::kMissing);
  facts = healthy();
  facts.store->free_bytes = 512ULL << 20U;
  EXPECT_EQ(finding(facts, "store_space").state, FindingState::kWarning);
  EXPECT_EQ(finding(facts, "store_space").detail, "512 MiB free");
  facts.store->free_bytes = 0;
  EXPECT_EQ(finding(facts, "store_space").state, FindingState::kMissing);
  facts.store = os::os_error(ENOTDIR, "/etc/passwd");
  EXPECT_EQ(finding(facts, "store").state, FindingState::kMissing);
}

TEST(DoctorTest, CriuMustExistBeNewEnoughAndPassItsCheck) {
  HostFacts facts = healthy();
  facts.criu = fail(ErrorCode::kNotFound, "no CRIU in PATH", "tools/dev setup");
  EXPECT_EQ(finding(facts, "criu").fix, "tools/dev setup");
  EXPECT_EQ(summarize(judge(facts)),
            "not ready: sessions cannot be checkpointed (criu); first: tools/dev setup");
  facts = healthy();
  facts.criu_version = CriuVersion{3, 17, 1};
  EXPECT_EQ(finding(facts, "criu").state, FindingState::kMissing);
  EXPECT_EQ(finding(facts, "criu").detail, "3.17.1 at /usr/sbin/criu");
  facts = healthy();
  facts.criu_check = fail(ErrorCode::kUnsupported, "criu check exited 1: no");
  EXPECT_EQ(finding(facts, "criu_check").state, FindingState::kMissing);
}

TEST(DoctorTest, RefusedPtraceIsAttributedToYama) {
  HostFacts facts = healthy();
  facts.ptrace = os::os_error(EPERM, "seizing another process");
  facts.yama_scope = 2;
  EXPECT_EQ(finding(facts, "ptrace").fix, "sysctl kernel.yama.ptrace_scope=0");
  facts.yama_scope = 3;
  EXPECT_THAT(finding(facts, "ptrace").fix, HasSubstr("reboot"));
}

TEST(DoctorTest, AHostWithoutPagemapScanIsReadyForCriu) {
  HostFacts facts = healthy();
  facts.pagemap_scan = os::os_error(ENOTTY, "PAGEMAP_SCAN");
  EXPECT_TRUE(is_ready(judge(facts)));
  EXPECT_EQ(summarize(judge(facts)),
            "ready: the criu engine; the native engine cannot work (pagemap_scan)");
}

TEST(DoctorTest, ProgramsOfASessionMustExist) {
  HostFacts facts = healthy();
  facts.helpers.init.usable = false;
  facts.helpers.criu_shim.usable = false;
  facts.bash.reset();
  facts.base_root = "/srv/root";
  EXPECT_EQ(finding(facts, "waypoint_init").state, FindingState::kMissing);
  EXPECT_EQ(finding(facts, "libwaypoint_criu_shim").state, FindingState::kMissing);
  EXPECT_EQ(finding(facts, "waypoint_keeper").state, FindingState::kOk);
  EXPECT_EQ(finding(facts, "bash").fix, "chroot /srv/root apt-get install bash");
}

TEST(DoctorTest, WithoutNfTablesOnlyTcpDataInFlightPreventsACheckpoint) {
  HostFacts facts = healthy();
  facts.nf_tables = os::os_error(EPROTONOSUPPORT, "netfilter");
  Finding found = finding(facts, "nf_tables");
  EXPECT_EQ(found.state, FindingState::kWarning);
  EXPECT_EQ(found.fix, "modprobe nf_tables");
  EXPECT_TRUE(is_ready(judge(facts)));
}

TEST(DoctorTest, MountsBelowTheRootAreReported) {
  HostFacts facts = healthy();
  facts.submounts = {"/boot", "/home"};
  EXPECT_EQ(finding(facts, "submounts").state, FindingState::kWarning);
  EXPECT_EQ(finding(facts, "submounts").detail, "/boot, /home");
  facts.submounts = {"/a", "/b", "/c", "/d", "/e", "/f"};
  EXPECT_EQ(finding(facts, "submounts").detail, "/a, /b, /c, /d and 2 more");
  EXPECT_TRUE(is_ready(judge(facts)));
}

TEST(HostFactsTest, MountsThatABranchReplacesAreNotReported) {
  const char* mounts =
      "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
      "21 20 0:5 / /proc rw - proc proc rw\n"
      "22 20 0:6 / /dev/shm rw - tmpfs tmpfs rw\n"
      "23 20 8:2 / /home rw - ext4 /dev/sda2 rw\n"
      "24 20 8:3 / /procession rw - ext4 /dev/sda3 rw\n"
      "25 20 8:4 / /srv/root/proc rw - proc proc rw\n"
      "26 20 8:5 / /srv/root/data rw - ext4 /dev/sda4 rw\n";
  EXPECT_EQ(submounts_a_branch_misses(mounts, "/"),
            (std::vector<std::string>{"/home", "/procession", "/srv/root/data", "/srv/root/proc"}));
  EXPECT_EQ(submounts_a_branch_misses(mounts, "/srv/root"),
            std::vector<std::string>{"/srv/root/data"});
}

TEST(DoctorTest, SmallLimitsAreWarnings) {
  HostFacts facts = healthy();
  facts.open_files = 1024;
  facts.pid_max = 1000;
  EXPECT_EQ(finding(facts, "open_files").state, FindingState::kWarning);
  EXPECT_EQ(finding(facts, "pid_max").state, FindingState::kWarning);
}

TEST(DoctorTest, JsonHasVersionVerdictAndEveryFinding) {
  HostFacts facts = healthy();
  facts.bash.reset();
  auto findings = judge(facts);
  wire::Json json = to_json(findings);
  EXPECT_EQ(json["version"], 1);
  EXPECT_EQ(json["ready"], false);
  ASSERT_EQ(json["findings"].size(), findings.size());
  EXPECT_EQ(json["findings"][0]["id"], "kernel");
  EXPECT_EQ(json["findings"][0]["state"], "ok");
  for (const char* key : {"id", "need", "part", "state", "detail", "cost", "fix"})
    EXPECT_TRUE(json["findings"][0].contains(key)) << key;
}

}  // namespace
}  // namespace sf::waypoint
