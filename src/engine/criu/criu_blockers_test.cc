#include "engine/criu/criu_blockers.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace sf::waypoint {
namespace {

ProcessFacts process_with(int number, const std::string& target) {
  ProcessFacts facts;
  facts.pid = 7;
  facts.name = "node";
  facts.descriptors = {{0, "/dev/null"}, {number, target}, {9, "pipe:[123]"}};
  return facts;
}

TEST(FindBlockersTest, AnOrdinaryProcessHasNoBlockers) {
  ProcessFacts facts;
  for (const char* target :
       {"/dev/pts/0", "socket:[12]", "pipe:[3]", "anon_inode:[eventpoll]", "anon_inode:[eventfd]",
        "anon_inode:inotify", "anon_inode:[fanotify]", "/tmp/x (deleted)", "/memfd:x (deleted)",
        "anon_inode:[timerfd]", "anon_inode:[signalfd]"})
    facts.descriptors.push_back({3, target});
  EXPECT_TRUE(find_blockers({facts}).empty());
  EXPECT_TRUE(find_blockers({}).empty());
}

TEST(FindBlockersTest, EveryKnownDescriptorIsNamedWithReasonAndAdvice) {
  const std::pair<const char*, const char*> known[] = {
      {"anon_inode:[io_uring]", "descriptor 5 (io_uring)"},
      {"anon_inode:[userfaultfd]", "descriptor 5 (userfaultfd)"},
      {"anon_inode:[perf_event]", "descriptor 5 (perf event)"},
      {"anon_inode:bpf-map", "descriptor 5 (BPF object)"},
      {"anon_inode:bpf-prog", "descriptor 5 (BPF object)"},
      {"anon_inode:[landlock-ruleset]", "descriptor 5 (landlock ruleset)"},
      {"/dev/fuse", "descriptor 5 (FUSE)"},
      {"/dev/kvm", "descriptor 5 (KVM)"},
      {"/dev/nvidia0", "descriptor 5 (GPU)"},
      {"/dev/dri/card0", "descriptor 5 (GPU)"}};
  for (const auto& [target, what] : known) {
    std::vector<Blocker> blockers = find_blockers({process_with(5, target)});
    ASSERT_EQ(blockers.size(), 1U) << target;
    EXPECT_EQ(blockers[0].pid, 7);
    EXPECT_EQ(blockers[0].process, "node");
    EXPECT_EQ(blockers[0].what, what);
    EXPECT_FALSE(blockers[0].why.empty());
    EXPECT_FALSE(blockers[0].advice.empty());
  }
}

TEST(FindBlockersTest, AnOpenControllingTerminalIsNamed) {
  std::vector<Blocker> blockers = find_controlling_terminals({process_with(5, "/dev/tty")});
  ASSERT_EQ(blockers.size(), 1U);
  EXPECT_EQ(blockers[0].pid, 7);
  EXPECT_EQ(blockers[0].what, "descriptor 5 (/dev/tty)");
  for (const char* target : {"/dev/tty1", "/dev/pts/0", "/srv/dev/tty"})
    EXPECT_TRUE(find_controlling_terminals({process_with(5, target)}).empty()) << target;
}

TEST(FindBlockersTest, AFileNamedLikeADeviceIsNotABlocker) {
  for (const char* target :
       {"/home/me/bpf-notes.txt", "/srv/chroot/dev/fuse/readme", "/x/dev/kvm.c", "/tmp/[io_uring]"})
    EXPECT_TRUE(find_blockers({process_with(5, target)}).empty()) << target;
}

TEST(FindBlockersTest, TracersAndNamespacesAreFound) {
  ProcessFacts traced;
  traced.tracer = "process 12 (gdb)";
  ProcessFacts nested;
  nested.own_user_namespace = true;
  nested.own_pid_namespace = true;
  ProcessFacts pid_only;
  pid_only.own_pid_namespace = true;
  std::vector<Blocker> blockers = find_blockers({traced, nested, pid_only});
  ASSERT_EQ(blockers.size(), 3U);
  EXPECT_EQ(blockers[0].what, "traced by process 12 (gdb)");
  EXPECT_NE(blockers[0].advice.find("tracer"), std::string::npos);
  EXPECT_EQ(blockers[1].what, "its own user namespace") << "the outer reason is enough";
  EXPECT_EQ(blockers[2].what, "its own PID namespace");
}

TEST(PidInBranchTest, ReturnsThePidAtTheNestingLevelOfTheBranch) {
  const std::string nested = "Name:\tsh\nPid:\t900\nNSpid:\t900\t17\t1\nNSsid:\t5\n";
  EXPECT_EQ(pid_in_branch(nested, 2), 17);
  EXPECT_EQ(pid_in_branch("NSpid:\t900\t17\n", 2), 17);
  EXPECT_EQ(pid_in_branch("NSpid:\t12\t900\t17\n", 3), 17) << "the host is a container itself";
  EXPECT_EQ(pid_in_branch("NSpid:\t900\n", 2), std::nullopt) << "a process of the host";
  EXPECT_EQ(pid_in_branch("", 2), std::nullopt) << "it has ended";
  EXPECT_EQ(pid_in_branch(nested, 0), std::nullopt);
}

// CRIU can capture a daemon that forked twice.
TEST(ReadProcessFactsTest, AProcessWithAnEndedSessionLeaderHasNoBlockers) {
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);  // keeps it below this process
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  pid_t leader = ::fork();
  ASSERT_GE(leader, 0);
  if (leader == 0) {
    ::setsid();
    pid_t daemon = ::fork();
    if (daemon == 0) ::_exit(::pause());
    ::_exit(::write(ends[1], &daemon, sizeof daemon) == sizeof daemon ? 0 : 1);
  }
  ASSERT_EQ(::waitpid(leader, nullptr, 0), leader);
  pid_t daemon = 0;
  ASSERT_EQ(::read(ends[0], &daemon, sizeof daemon), static_cast<ssize_t>(sizeof daemon));
  std::vector<ProcessFacts> facts = read_process_facts(::getpid());
  ASSERT_EQ(::kill(daemon, SIGKILL), 0);
  ASSERT_EQ(::waitpid(daemon, nullptr, 0), daemon);
  ::close(ends[0]);
  ::close(ends[1]);

  ASSERT_EQ(facts.size(), 2U);
  EXPECT_EQ(facts[1].name, facts[0].name);
  EXPECT_FALSE(facts[1].descriptors.empty());
  EXPECT_TRUE(find_blockers(facts).empty());
}

TEST(ReadProcessFactsTest, ATracerIsNamed) {
  pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) ::_exit(::pause());
  ASSERT_EQ(::ptrace(PTRACE_SEIZE, child, nullptr, nullptr), 0);
  std::vector<ProcessFacts> facts = read_process_facts(child);
  ASSERT_EQ(::kill(child, SIGKILL), 0);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  ASSERT_EQ(facts.size(), 1U);
  EXPECT_EQ(facts[0].tracer, "process " + std::to_string(::getpid()) + " (" + facts[0].name + ")");
}

TEST(FirstErrorsTest, RelevantErrorsAreReturnedWithoutSourceLocations) {
  const std::string log =
      "(00.000001) Version: 4.1\n"
      "(00.000002) Error (criu/rlimit.c:44): rlimit: Can't setup RLIMIT_NOFILE for self\n"
      "(00.010000) Warn  (criu/kerndat.c:1): not this\n"
      "(00.020000) Error (criu/files.c:573): Can't lookup: a: b\n"
      "(00.030000) Info: fine\n"
      "(00.040000) Error (criu/cr-dump.c:1781): Dump files (pid: 7) failed\n"
      "(00.050000) Error (criu/cr-dump.c:2098): Dumping FAILED.\n";
  EXPECT_EQ(first_errors(log, 1), "Can't lookup: a: b");
  EXPECT_EQ(first_errors(log, 2), "Can't lookup: a: b; Dump files (pid: 7) failed");
  EXPECT_EQ(first_errors(log, 100),
            "Can't lookup: a: b; Dump files (pid: 7) failed; Dumping FAILED.");
  EXPECT_EQ(first_errors(log, 0), "");
}

TEST(FirstErrorsTest, ALogWithoutErrorsGivesNothingAndAnOddLineIsShownWhole) {
  EXPECT_EQ(first_errors("", 3), "");
  EXPECT_EQ(first_errors("all\nis\nwell", 3), "");
  EXPECT_EQ(first_errors("Error (cut here", 3), "Error (cut here");
}

}  // namespace
}  // namespace sf::waypoint
