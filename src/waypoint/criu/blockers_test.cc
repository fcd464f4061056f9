#include "waypoint/criu/blockers.h"

#include <gtest/gtest.h>

namespace sf::waypoint {
namespace {

ProcessFacts process_with(int number, const std::string& target) {
  ProcessFacts facts;
  facts.pid = 7;
  facts.name = "node";
  facts.descriptors = {{0, "/dev/null"}, {number, target}, {9, "pipe:[123]"}};
  return facts;
}

TEST(FindBlockersTest, AnOrdinaryProcessBlocksNothing) {
  ProcessFacts facts;
  for (const char* target : {"/dev/pts/0", "socket:[12]", "pipe:[3]", "anon_inode:[eventpoll]",
                             "anon_inode:[eventfd]", "anon_inode:inotify", "/tmp/x (deleted)",
                             "/memfd:x (deleted)", "anon_inode:[timerfd]", "anon_inode:[signalfd]"})
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
      {"anon_inode:[fanotify]", "descriptor 5 (fanotify)"},
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

TEST(FindBlockersTest, AFileWhoseNameLooksLikeADeviceIsNone) {
  for (const char* target :
       {"/home/me/bpf-notes.txt", "/srv/chroot/dev/fuse/readme", "/x/dev/kvm.c", "/tmp/[io_uring]"})
    EXPECT_TRUE(find_blockers({process_with(5, target)}).empty()) << target;
}

TEST(FindBlockersTest, TracersNamespacesAndLostLeadersAreFound) {
  ProcessFacts traced;
  traced.tracer = 12;
  ProcessFacts nested;
  nested.own_user_namespace = true;
  nested.own_pid_namespace = true;
  ProcessFacts pid_only;
  pid_only.own_pid_namespace = true;
  ProcessFacts orphan;
  orphan.session_leader_gone = true;
  std::vector<Blocker> blockers = find_blockers({traced, nested, pid_only, orphan});
  ASSERT_EQ(blockers.size(), 4U);
  EXPECT_NE(blockers[0].why.find("strace"), std::string::npos);
  EXPECT_EQ(blockers[1].what, "its own user namespace") << "the outer reason is enough";
  EXPECT_EQ(blockers[2].what, "its own PID namespace");
  EXPECT_NE(blockers[3].advice.find("setsid"), std::string::npos);
}

TEST(FirstErrorsTest, TheFirstErrorsWithoutTheirPlaces) {
  const std::string log =
      "(00.000001) Version: 4.1\n"
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

TEST(FirstErrorsTest, ALogWithoutErrorsIsSilentAndAnOddLineIsShownWhole) {
  EXPECT_EQ(first_errors("", 3), "");
  EXPECT_EQ(first_errors("all\nis\nwell", 3), "");
  EXPECT_EQ(first_errors("Error (cut here", 3), "Error (cut here");
}

}  // namespace
}  // namespace sf::waypoint
