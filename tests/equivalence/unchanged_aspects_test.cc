// Changes every aspect of a state that the fingerprint covers
// (waypoint/speculation/fingerprint_coverage.h): no checkpoint is shared, and after a restore a
// probe prints the same as at the node.
#include <sched.h>

#include <set>

#include "base/clock.h"
#include "image_walk.h"
#include "os/file.h"
#include "unchanged_fixture.h"

namespace sf::waypoint {
namespace {

struct Change {
  StateAspect aspect;
  const char* command;
  const char* probe;
};

#define SF_QUEUE "python3 -c \"import ctypes; q = ctypes.CDLL(None).mq_open(b'/q', "
#define SF_SLICE                                                                      \
  "python3 -c \"import ctypes, os, struct; c = ctypes.CDLL(None).syscall; "           \
  "a = ctypes.create_string_buffer(struct.pack('IIQiIQQQ', 48, 0, 0, 0, 0, 5000000, " \
  "0, 0)); "

// Rows for pid 1 change init, which belongs to the state like the shell.
constexpr Change kChanges[] = {
    {StateAspect::kName, "echo x > /proc/$$/comm", "cat /proc/$$/comm"},
    {StateAspect::kUmask, "umask 077", "umask"},
    {StateAspect::kSignals, "trap '' USR1", "grep -e SigIgn -e SigCgt /proc/$$/status"},
    {StateAspect::kLimits, "prlimit --pid $$ --nofile=64:64", "ulimit -n"},
    {StateAspect::kLimits, "prlimit --pid 1 --nofile=500:600", "grep open /proc/1/limits"},
    {StateAspect::kOomScore, "echo 100 > /proc/$$/oom_score_adj", "cat /proc/$$/oom_score_adj"},
    {StateAspect::kOomScore, "echo 100 > /proc/1/oom_score_adj", "cat /proc/1/oom_score_adj"},
    {StateAspect::kCoreFilter, "echo 7 > /proc/$$/coredump_filter", "cat /proc/$$/coredump_filter"},
    {StateAspect::kCoreFilter, "echo 7 > /proc/1/coredump_filter", "cat /proc/1/coredump_filter"},
    {StateAspect::kTimerSlack, "echo 70000 > /proc/$$/timerslack_ns",
     "read slack < /proc/$$/timerslack_ns; echo $slack"},
    {StateAspect::kSchedule, "renice -n 5 -p $$ >/dev/null", "nice"},
    {StateAspect::kSchedule, "renice -n 5 -p 1 >/dev/null", "ps -o ni= 1"},
    {StateAspect::kSchedule, "chrt -b -p 0 $$", "chrt -p $$"},
    {StateAspect::kSchedule, SF_SLICE "c(314, os.getppid(), a, 0)\"",
     SF_SLICE "c(315, os.getppid(), a, 48, 0); print(a.raw)\""},
    {StateAspect::kAffinity, "taskset -p 1 $$ >/dev/null", "taskset -p $$"},
    {StateAspect::kAffinity, "taskset -p 1 1 >/dev/null", "taskset -p 1"},
    {StateAspect::kIoPriority, "ionice -c 3 -p $$", "ionice -p $$"},
    {StateAspect::kIoPriority, "ionice -c 2 -n 7 -p $$", "ionice -p $$"},
    {StateAspect::kIoPriority, "ionice -c 3 -p 1", "ionice -p 1"},
    {StateAspect::kDirectory, "cd d", "pwd"},
    {StateAspect::kDescriptors, "exec 3<f", "cat <&3"},
    {StateAspect::kTerminalSettings, "stty -echo", "stty -a | grep -o .echo"},
    {StateAspect::kTerminalSettings, "stty 9600", "stty speed"},
    {StateAspect::kTerminalSettings, "python3 -c 'import fcntl; fcntl.ioctl(0, 0x540c)'",
     "python3 -c 'import fcntl; print(fcntl.ioctl(0, 0x80045440, b\"0000\"))'"},
    {StateAspect::kWindow, "stty rows 30 cols 90", "stty size"},
    {StateAspect::kTerminalOwner, "chmod 600 /dev/pts/0", "stat -c %a /dev/pts/0"},
    {StateAspect::kTerminalOwner, "chown 0:0 /dev/pts/0; chgrp 7 /dev/pts/0",
     "stat -c '%u %g' /dev/pts/0"},
    {StateAspect::kSystemV, "ipcmk -M 4096 >/dev/null", "ipcs -m | wc -l"},
    {StateAspect::kMessageQueues, SF_QUEUE "0o102, 0o600, None)\"", SF_QUEUE "0); print(q >= 0)\""},
    {StateAspect::kOtherProcesses, "(sleep 60 >/dev/null 2>&1 &)", "echo /proc/[0-9]*"},
    {StateAspect::kHostName, "hostname other", "hostname"},
    {StateAspect::kFiles, "echo two > f", "cat f"},
    {StateAspect::kFileAccess, "cat /fresh/g", "stat -c '%x %y %z' /fresh/g"},
    {StateAspect::kFileAccess, "ls /fresh/e", "stat -c '%x %y %z' /fresh/e"},
    {StateAspect::kMounts, "mount -t tmpfs none d && echo a > d/a", "cat d/a"},
    {StateAspect::kShell, "x=6", "echo $x"},
    {StateAspect::kShell, "RANDOM=42", "echo $RANDOM"},
};

class UnchangedAspectsTest : public UnchangedTest {
 protected:
  // Fails if the probe prints something else after a restore of `node`.
  void expect_same_after_restore(const CheckpointId& node, const std::string& probe) {
    const std::string expected = look(branch_, probe);
    look(branch_, "x=7");
    ASSERT_TRUE(wp_->restore(branch_, node).ok());
    EXPECT_EQ(look(branch_, probe), expected) << probe;
  }
  static void wait_for_next_second() {
    const std::time_t begun = std::time(nullptr);
    for (Deadline end = Deadline::after(seconds(5)); std::time(nullptr) == begun;)
      ASSERT_FALSE(end.passed());
  }
};

TEST_F(UnchangedAspectsTest, ChangeOfAnyAspectPreventsSharing) {
  for (const Change& change : kChanges) {
    SCOPED_TRACE(change.command);
    cpu_set_t cpus;
    ASSERT_EQ(::sched_getaffinity(0, sizeof cpus, &cpus), 0);
    if (change.aspect == StateAspect::kAffinity && CPU_COUNT(&cpus) < 2) continue;
    const CheckpointInfo base = begin({.extra_capabilities = {"sys_admin", "sys_nice"}});
    const std::string before = look(branch_, change.probe);
    ASSERT_TRUE(wp_->restore(branch_, base.id).ok());
    look(branch_, change.command);
    CheckpointInfo node = checkpoint(branch_);
    EXPECT_FALSE(node.base.has_value());
    const std::string at_node = look(branch_, change.probe);
    EXPECT_NE(at_node, before) << "the command changes nothing";
    ASSERT_TRUE(wp_->restore(branch_, node.id).ok());
    EXPECT_EQ(look(branch_, change.probe), at_node);
    ASSERT_TRUE(wp_->end(branch_).ok());
  }
}

TEST_F(UnchangedAspectsTest, EveryAspectOfTheTableIsChangedByACommand) {
  std::set<StateAspect> changed;
  for (const Change& change : kChanges) changed.insert(change.aspect);
  for (int i = 1; i < static_cast<int>(StateAspect::kCount); ++i)
    EXPECT_TRUE(changed.contains(static_cast<StateAspect>(i))) << "aspect number " << i;
}

TEST_F(UnchangedAspectsTest, NewRandomSeedPreventsSharingEvenIfRandomShowsTheSameValue) {
  begin();
  const std::string number = look(branch_, "echo $RANDOM");
  checkpoint(branch_);
  // $RANDOM shows the same number after both seeds.
  look(branch_, "RANDOM=" + number.substr(0, number.size() - 1));
  CheckpointInfo node = checkpoint(branch_);
  EXPECT_FALSE(node.base.has_value());
  expect_same_after_restore(node.id, "echo $RANDOM $RANDOM");
}

TEST_F(UnchangedAspectsTest, SharedCheckpointRestoresTheTimesOfTheHistory) {
  CheckpointInfo base = begin();
  for (const char* command : {"ls", "echo 'two\nlines'; echo '#1'", "cat f"}) {
    look(branch_, command);
    wait_for_next_second();
  }
  CheckpointInfo node = checkpoint(branch_);
  ASSERT_EQ(node.base, base.id);
  look(branch_, "ls");  // a second checkpoint that shares the same base
  ASSERT_TRUE(wp_->restore(branch_, node.id).ok());
  look(branch_, "pwd");
  CheckpointInfo later = checkpoint(branch_);
  EXPECT_EQ(later.base, base.id);
  for (const CheckpointId& id : {node.id, later.id}) {
    ASSERT_TRUE(wp_->restore(branch_, id).ok());
    // Without the history entry of the probe itself.
    const std::string probe =
        "HISTTIMEFORMAT='%s '; history | head -n -1; history -a /w/h; head -n -2 /w/h; unset "
        "HISTTIMEFORMAT; echo $HISTCMD";
    const std::string expected = look(branch_, probe);
    wait_for_next_second();
    expect_same_after_restore(id, "true");
    ASSERT_TRUE(wp_->restore(branch_, id).ok());
    EXPECT_EQ(look(branch_, probe), expected);
  }
}

TEST_F(UnchangedAspectsTest, ForkOfASharedCheckpointHasTheHistoryOfItsBranch) {
  CheckpointInfo base = begin();
  look(branch_, "ls");
  wait_for_next_second();
  CheckpointInfo node = checkpoint(branch_);
  ASSERT_EQ(node.base, base.id);
  const char* probe = "HISTTIMEFORMAT='%s '; history | head -n -1; history -a h; head -n -2 h";
  BranchId copy = fork(node.id);
  EXPECT_EQ(look(copy, probe), look(branch_, probe));
}

TEST_F(UnchangedAspectsTest, HistoryWithoutOneEntryPerCommandPreventsSharing) {
  for (const char* setting :
       {"HISTCONTROL=ignoredups", "HISTIGNORE=ls", "histchars='!^%'", "set -o history"}) {
    SCOPED_TRACE(setting);
    begin();
    look(branch_, setting);
    checkpoint(branch_);
    look(branch_, "ls");
    EXPECT_FALSE(checkpoint(branch_).base.has_value());
    ASSERT_TRUE(wp_->end(branch_).ok());
  }
  begin();
  for (const char* command : {"#1 is a comment", "ls\n\npwd", "echo\r"}) {
    SCOPED_TRACE(command);
    look(branch_, command);
    EXPECT_FALSE(checkpoint(branch_).base.has_value());
  }
}

TEST_F(UnchangedAspectsTest, CheckpointKeepsAccessTimesWhereFilesAreCopied) {
  auto copies =
      Waypoint::open({.store_dir = dir_.path() + "/copies", .file_layers = FileLayerKind::kCopy});
  ASSERT_TRUE(copies.ok()) << copies.error().describe();
  wp_.emplace(std::move(*copies));
  branch_ = start();
  look(branch_, "mkdir -p /fresh/e; echo new > /fresh/g");
  const char* probe = "stat -c '%n %x' /fresh /fresh/e /fresh/g";
  const std::string before = look(branch_, probe);
  CheckpointInfo node = checkpoint(branch_);
  EXPECT_EQ(look(branch_, probe), before);
  ASSERT_TRUE(wp_->restore(branch_, node.id).ok());
  EXPECT_EQ(look(branch_, probe), before);
}

TEST_F(UnchangedAspectsTest, RemovedQueueDoesNotPreventSharing) {
  CheckpointInfo base = begin();
  look(branch_, SF_QUEUE "0o102, 0o600, None); ctypes.CDLL(None).mq_unlink(b'/q')\"");
  EXPECT_EQ(checkpoint(branch_).base, base.id);
}

#undef SF_QUEUE
#undef SF_SLICE

// Two images of one shell, with only plain commands between them: fields that are marked as fixed
// or digested must be equal, byte by byte.
TEST_F(UnchangedAspectsTest, FixedAndDigestedFieldsAreEqualInTwoImagesOfAShell) {
  auto read_image = [&](const CheckpointInfo& info) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(
             dir_.path() + "/store/checkpoints/" + info.id.value())) {
      if (!entry.path().string().ends_with(native::kTreeFile)) continue;
      auto text = os::read_file(entry.path(), 1U << 26U);
      if (!text) break;
      auto tree = native::decode_tree(*text);
      if (tree) return std::move(*tree);
    }
    ADD_FAILURE() << "no image of " << info.id.value();
    return native::TreeImage();
  };
  auto fields_of = [](native::TreeImage& tree) {
    std::vector<std::pair<std::string, std::string>> fields;
    walk_image(tree, [&](const std::string& path, const auto* row, auto& field) {
      if (!row || (row->sight != Sight::kFixed && row->sight != Sight::kDigested)) return;
      native::Writer writer;
      writer(field);
      fields.emplace_back(path, writer.bytes());
    });
    return fields;
  };
  native::TreeImage first = read_image(begin({.engine = EngineChoice::kNative}));
  for (const char* command : {"ls -l", "cat f", "grep one f | wc -l", "(cd d; exit 3)"})
    look(branch_, command);
  look(branch_, "x=6");  // an assignment, so the next checkpoint is not shared
  CheckpointInfo later = checkpoint(branch_);
  ASSERT_FALSE(later.base.has_value());
  native::TreeImage second = read_image(later);
  auto before = fields_of(first);
  auto after = fields_of(second);
  ASSERT_EQ(before.size(), after.size());
  EXPECT_GT(before.size(), 100U);
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(before[i].first, after[i].first);
    EXPECT_TRUE(before[i].second == after[i].second) << before[i].first << " differs";
  }
}

}  // namespace
}  // namespace sf::waypoint
