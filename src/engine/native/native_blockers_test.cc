#include "engine/native/native_blockers.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/magic.h>
#include <sys/sysmacros.h>

#include <csignal>

#include "engine/native/classify.h"

namespace sf::waypoint::native {
namespace {

ProcessFacts process(pid_t pid, pid_t parent) {
  ProcessFacts facts;
  facts.pid = 100 + pid;
  facts.parent = parent == 0 ? 0 : 100 + parent;
  ThreadFacts& leader = facts.threads.emplace_back();
  leader.tid = facts.pid;
  leader.stat.state = 'S';
  leader.stat.name = "p" + std::to_string(pid);
  leader.stat.exit_signal = SIGCHLD;
  leader.status.pids = {facts.pid, pid};
  leader.status.groups = {0, pid};
  leader.status.sessions = {0, pid};
  facts.root = "/";
  facts.cwd = "/";
  facts.exe = "/bin/x";
  facts.mappings = {{0x7000, 0x8000, 0, "r-xp", "00:00", 0, "[vdso]", {"rd", "ex", "de"}}};
  return facts;
}

TreeFacts tree() {
  TreeFacts facts;
  facts.processes = {process(1, 0), process(2, 1)};
  facts.mounts = {{"/", "overlay"}, {"/proc", "proc"}, {"/dev/pts", "devpts"}};
  return facts;
}

DescriptorFacts descriptor(const std::string& link, std::uint64_t file_system, mode_t mode) {
  DescriptorFacts fd;
  fd.number = 5;
  fd.link = link;
  fd.file_system = file_system;
  fd.file.st_mode = mode;
  fd.file.st_nlink = 1;
  return fd;
}

std::string only_reason(const TreeFacts& facts) {
  auto found = find_blockers(facts);
  EXPECT_EQ(found.size(), 1U);
  return found.empty() ? "" : found[0].what;
}

TEST(NativeBlockersTest, AnOrdinaryTreeHasNoBlocker) { EXPECT_TRUE(find_blockers(tree()).empty()); }

TEST(NativeBlockersTest, AnIgnoredSigtrapIsABlocker) {
  TreeFacts facts = tree();
  facts.processes[1].threads[0].status.ignored = 1ULL << (SIGTRAP - 1);
  EXPECT_EQ(only_reason(facts), "SIGTRAP");
  facts.processes[1].threads[0].status.ignored = 1ULL << (SIGINT - 1);
  EXPECT_TRUE(find_blockers(facts).empty());
}

TEST(NativeBlockersTest, AnUnknownDescriptorIsABlockerAndIsNamed) {
  TreeFacts facts = tree();
  facts.processes[1].descriptors = {descriptor("anon_inode:[io_uring]", 0x09041934, 0600)};
  EXPECT_EQ(only_reason(facts), "descriptor 5 (anon_inode:[io_uring])");
  auto found = find_blockers(facts);
  EXPECT_EQ(found[0].pid, 2);
  EXPECT_EQ(found[0].process, "p2");
}

TEST(NativeBlockersTest, AMountMadeInTheBranchIsABlocker) {
  TreeFacts facts = tree();
  facts.mounts.push_back({"/mnt", "tmpfs"});
  EXPECT_EQ(only_reason(facts), "mount /mnt (tmpfs)");
  facts = tree();
  facts.mounts.push_back({"/proc", "proc"});
  EXPECT_EQ(only_reason(facts), "mount /proc (proc)") << "one mount over another";
}

TEST(NativeBlockersTest, ANestedNamespaceIsABlocker) {
  TreeFacts facts = tree();
  facts.processes[1].namespaces[0] = 77;
  EXPECT_EQ(only_reason(facts), "its own user namespace");
}

TEST(NativeBlockersTest, AnUnknownMappingFlagIsABlocker) {
  TreeFacts facts = tree();
  facts.processes[1].mappings.push_back({0x1000, 0x2000, 0, "rw-p", "00:00", 0, "", {"rd", "uw"}});
  EXPECT_EQ(only_reason(facts), "mapping without a name");
}

TEST(NativeBlockersTest, SeccompFiltersAndTimersAreSeparateBlockers) {
  TreeFacts facts = tree();
  facts.processes[1].threads[0].status.seccomp = 2;
  facts.processes[1].timers = "nothing known\n";
  EXPECT_EQ(find_blockers(facts).size(), 2U);
}

TEST(NativeBlockersTest, SeccompFiltersThatTheThreadMayInstallAreNotBlockers) {
  TreeFacts facts = tree();
  facts.processes[1].threads[0].status.seccomp = 2;
  facts.processes[1].threads[0].status.credentials.no_new_privileges = 1;
  EXPECT_TRUE(find_blockers(facts).empty());
  facts.processes[1].threads[0].status.seccomp = 1;
  EXPECT_EQ(only_reason(facts), "seccomp");
}

TEST(NativeKindsTest, AnOPathDescriptorIsAPathForEveryFileType) {
  DescriptorFacts fd = descriptor("/w/fifo", OVERLAYFS_SUPER_MAGIC, S_IFIFO | 0644);
  EXPECT_EQ(classify(fd).kind, DescriptorKind::kFifo);
  fd.info.flags = O_PATH;
  EXPECT_EQ(classify(fd).kind, DescriptorKind::kPath);
  fd.file.st_mode = S_IFLNK | 0777;
  EXPECT_EQ(classify(fd).kind, DescriptorKind::kPath);
}

TEST(NativeKindsTest, FileKindsAreDistinguished) {
  auto kind = [](const DescriptorFacts& fd) { return classify(fd).kind; };
  EXPECT_EQ(kind(descriptor("/w/x", OVERLAYFS_SUPER_MAGIC, S_IFREG)), DescriptorKind::kPath);
  EXPECT_EQ(kind(descriptor("/w", OVERLAYFS_SUPER_MAGIC, S_IFDIR)), DescriptorKind::kPath);
  EXPECT_EQ(kind(descriptor("/w/p", OVERLAYFS_SUPER_MAGIC, S_IFIFO)), DescriptorKind::kFifo);
  EXPECT_EQ(kind(descriptor("pipe:[1]", 0x50495045, S_IFIFO)), DescriptorKind::kPipe);
  EXPECT_EQ(kind(descriptor("/memfd:x (deleted)", TMPFS_MAGIC, S_IFREG)),
            DescriptorKind::kMemoryFile);
  EXPECT_EQ(kind(descriptor("/proc/meminfo", PROC_SUPER_MAGIC, S_IFREG)), DescriptorKind::kPath);
}

TEST(NativeKindsTest, ARemovedFileIsCopiedOnlyIfItHasNoOtherName) {
  DescriptorFacts fd = descriptor("/w/x (deleted)", OVERLAYFS_SUPER_MAGIC, S_IFREG);
  EXPECT_EQ(classify(fd).kind, DescriptorKind::kUnlinked);
  fd.lost = {LostName::Left::kAnother, "/w/y"};
  EXPECT_EQ(classify(fd).kind, DescriptorKind::kOtherName);
  fd.lost = {LostName::Left::kUnknown, {}};
  EXPECT_EQ(classify(fd).kind, DescriptorKind::kRefused);
  fd.lost = {LostName::Left::kOwn, {}};  // its real name ends so
  EXPECT_EQ(classify(fd).kind, DescriptorKind::kPath);
}

TEST(NativeKindsTest, ARemovedDirectoryIsRecreatedIfItsPathIsFree) {
  DescriptorFacts fd = descriptor("/w/d (deleted)", OVERLAYFS_SUPER_MAGIC, S_IFDIR);
  EXPECT_EQ(classify(fd).kind, DescriptorKind::kLostDirectory);
  fd.has_location = false;
  EXPECT_EQ(classify(fd).kind, DescriptorKind::kRefused);
}

TEST(NativeKindsTest, ObjectsThatCannotBeRecreatedAreRefused) {
  auto refused = [](const DescriptorFacts& fd) {
    return classify(fd).kind == DescriptorKind::kRefused;
  };
  EXPECT_TRUE(refused(descriptor("/proc/12/status", PROC_SUPER_MAGIC, S_IFREG)));
  EXPECT_TRUE(refused(descriptor("/dev/pts/1", DEVPTS_SUPER_MAGIC, S_IFCHR)));
  DescriptorFacts locked = descriptor("/w/x", OVERLAYFS_SUPER_MAGIC, S_IFREG);
  locked.info.text = "lock:\t1: LEASE  ACTIVE    READ 5 00:2d:12 0 EOF\n";
  EXPECT_TRUE(refused(locked));
  DescriptorFacts packets = descriptor("pipe:[1]", 0x50495045, S_IFIFO);
  packets.info.flags = O_DIRECT;
  EXPECT_TRUE(refused(packets));
  DescriptorFacts device = descriptor("/dev/fuse", OVERLAYFS_SUPER_MAGIC, S_IFCHR);
  device.file.st_rdev = makedev(10, 229);
  EXPECT_TRUE(refused(device));
}

TEST(NativeBlockersTest, SharedMemoryIsAttachedWholeOrDeclined) {
  TreeFacts facts = tree();
  MappingText attached{0x10000,           0x12000, 0, "rw-s", "00:01", 0, "/SYSV00000001 (deleted)",
                       {"rd", "wr", "sh"}};
  facts.processes[1].mappings.push_back(attached);
  EXPECT_EQ(only_reason(facts), "mapping /SYSV00000001 (deleted)");
  facts.ipc.segments = {{.id = 0, .size = 8000, .attached = 1}};
  EXPECT_TRUE(find_blockers(facts).empty());
  facts.processes[1].mappings.back().end = 0x11000;
  EXPECT_EQ(only_reason(facts), "mapping /SYSV00000001 (deleted)");
}

DescriptorFacts slave(int number) {
  DescriptorFacts fd =
      descriptor("/dev/pts/" + std::to_string(number), DEVPTS_SUPER_MAGIC, S_IFCHR | 0620);
  fd.file.st_rdev = makedev(136, static_cast<unsigned>(number));
  fd.pty.end = PtyFacts::End::kSlave;
  fd.pty.number = number;
  return fd;
}

TEST(NativeBlockersTest, ATerminalNeedsItsMasterInTheTree) {
  TreeFacts facts = tree();
  facts.processes[1].descriptors = {slave(3)};
  tie_ptys(facts.processes);
  EXPECT_EQ(only_reason(facts), "descriptor 5 (/dev/pts/3)");
  DescriptorFacts master = descriptor("/dev/pts/ptmx", DEVPTS_SUPER_MAGIC, S_IFCHR | 0666);
  master.pty.end = PtyFacts::End::kMaster;
  master.pty.number = master_number("pos:\t0\ntty-index:\t3\n");
  facts.processes[0].descriptors = {master};
  tie_ptys(facts.processes);
  EXPECT_TRUE(find_blockers(facts).empty());
  facts.processes[0].descriptors[0].pty.unread = 5;
  EXPECT_TRUE(find_blockers(facts).empty());
  facts.processes[0].descriptors[0].pty.has_status = true;
  EXPECT_EQ(only_reason(facts), "descriptor 5 (/dev/pts/ptmx)");
}

TEST(NativeBlockersTest, TerminalNumbersAreParsedFromDeviceNumbers) {
  EXPECT_EQ(terminal_number(0), -1);
  EXPECT_EQ(terminal_number(136 << 8), 0);
  EXPECT_EQ(terminal_number(136 << 8 | 7), 7);
  EXPECT_EQ(terminal_number(136 << 8 | 1 << 20 | 2), 258);
  EXPECT_EQ(terminal_number(4 << 8 | 1), -1);
}

}  // namespace
}  // namespace sf::waypoint::native
