#include "engine/native/files/event_files.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <csignal>

#include "engine/native/files/inotify.h"
#include "engine/native/files/locks.h"
#include "engine/native/process/posix_timers.h"
#include "engine/native/sockets/internet_sockets.h"

namespace sf::waypoint::native {
namespace {

TEST(EventFilesTest, AnEventfdIsParsedWithItsSemaphoreFlag) {
  auto event = parse_event("anon_inode:[eventfd]",
                           "pos:\t0\nflags:\t02\neventfd-count:               2a\neventfd-id: 3\n"
                           "eventfd-semaphore: 1\n");
  ASSERT_TRUE(event);
  EXPECT_EQ(event->numbers, (std::vector<std::uint64_t>{42, 1}));
}

TEST(EventFilesTest, AnEventfdWithoutASemaphoreFlagIsRefused) {
  EXPECT_FALSE(parse_event("anon_inode:[eventfd]", "eventfd-count: 2a\n"));
}

TEST(EventFilesTest, ATimerfdIsParsedWithTheTimeLeft) {
  auto event = parse_event("anon_inode:[timerfd]",
                           "clockid: 1\nticks: 3\nsettime flags: 01\nit_value: (7, 500)\n"
                           "it_interval: (1, 0)\n");
  ASSERT_TRUE(event);
  EXPECT_EQ(event->numbers, (std::vector<std::uint64_t>{1, 3, 1, 0, 7, 500}));
}

TEST(EventFilesTest, AnEpollSetIsParsedWithAllWatchedFiles) {
  auto event =
      parse_event("anon_inode:[eventpoll]",
                  "pos:\t0\nflags:\t02\n"
                  "tfd:        7 events:       19 data:     7f0000000007  pos:0 ino:1 sdev:f\n"
                  "tfd:        8 events: 80000001 data:                8  pos:0 ino:1 sdev:f\n");
  ASSERT_TRUE(event);
  ASSERT_EQ(event->watched.size(), 2U);
  EXPECT_EQ(event->watched[0].number, 7);
  EXPECT_EQ(event->watched[0].data, 0x7f0000000007U);
  EXPECT_EQ(event->watched[1].events, 0x80000001U);
}

TEST(EventFilesTest, OtherDescriptorsAreNotEvents) {
  EXPECT_FALSE(parse_event("anon_inode:[fanotify]", ""));
  EXPECT_FALSE(parse_event("anon_inode:[signalfd]", "nothing known"));
}

TEST(LocksTest, RangesAndKindsAreParsed) {
  auto locks = parse_locks(
      "flags:\t02\nlock:\t1: POSIX  ADVISORY  WRITE 77 00:2d:1234 10 19\n"
      "lock:\t2: FLOCK  ADVISORY  READ 77 00:2d:1234 0 EOF\n");
  ASSERT_TRUE(locks);
  ASSERT_EQ(locks->size(), 2U);
  EXPECT_EQ((*locks)[0].kind, LockKind::kPosix);
  EXPECT_EQ((*locks)[0].start, 10U);
  EXPECT_EQ((*locks)[0].size, 10U);
  EXPECT_EQ((*locks)[1].writes, 0U);
  EXPECT_EQ((*locks)[1].size, 0U);
}

TEST(LocksTest, LeasesAndMalformedLinesAreRefused) {
  EXPECT_FALSE(parse_locks("lock:\t1: LEASE  ACTIVE    READ 5 00:2d:12 0 EOF\n"));
  EXPECT_FALSE(parse_locks("lock: what\n"));
  EXPECT_TRUE(parse_locks("pos:\t0\n")->empty());
}

TEST(PosixTimersTest, TimersAreParsedWithTheirNotificationTarget) {
  auto timers = parse_timers(
      "ID: 3\nsignal: 14/0000000000000007\nnotify: signal/pid.12\nClockID: 1\n"
      "ID: 4\nsignal: 34/0\nnotify: signal/tid.13\nClockID: 0\n");
  ASSERT_TRUE(timers);
  ASSERT_EQ(timers->size(), 2U);
  EXPECT_EQ((*timers)[0].notify, SIGEV_SIGNAL);
  EXPECT_EQ((*timers)[0].value, 7U);
  EXPECT_EQ((*timers)[1].thread, 13);
  EXPECT_EQ((*timers)[1].notify, SIGEV_THREAD_ID);
  EXPECT_FALSE(parse_timers("ID: 3\nsomething: else\n"));
}

TEST(SocketTroubleTest, DefaultMulticastGroupsDoNotCountAsJoined) {
  const std::string usual =
      "Idx\tDevice    : Count Querier\tGroup    Users Timer\tReporter\n"
      "1\tlo        :     1      V3\n\t\t\t\t010000E0     1 0:00000000\t\t0\n";
  const std::string usual6 =
      "1    lo              ff020000000000000000000000000001     1 0000000C 0\n"
      "1    lo              ff010000000000000000000000000001     1 00000008 0\n";
  EXPECT_FALSE(names_joined_groups(usual, usual6));
  EXPECT_FALSE(names_joined_groups("", ""));
  EXPECT_TRUE(names_joined_groups(usual + "\t\t\t\t0A0000EF     1 0:00000000\t\t0\n", usual6));
  EXPECT_TRUE(names_joined_groups(
      usual, usual6 + "1    lo              ff020000000000000000000000000099     1 00000004 0\n"));
}

TEST(SocketTroubleTest, OnlyQuiescentSocketsAreCaptured) {
  SocketFacts listening{.family = AF_INET,
                        .type = SOCK_STREAM,
                        .protocol = IPPROTO_TCP,
                        .listens = true,
                        .tcp_state = TCP_LISTEN};
  EXPECT_FALSE(socket_trouble(listening));
  listening.waiting = 1;
  EXPECT_TRUE(socket_trouble(listening));
  SocketFacts connected{.family = AF_INET6,
                        .type = SOCK_STREAM,
                        .protocol = IPPROTO_TCP,
                        .has_peer = true,
                        .tcp_state = TCP_ESTABLISHED};
  EXPECT_TRUE(socket_trouble(connected));
  SocketFacts datagrams{.family = AF_INET, .type = SOCK_DGRAM, .protocol = IPPROTO_UDP};
  EXPECT_FALSE(socket_trouble(datagrams));
  datagrams.unsent = 5;
  EXPECT_TRUE(socket_trouble(datagrams));
  datagrams.unsent = 0;
  datagrams.may_have_groups = true;
  EXPECT_TRUE(socket_trouble(datagrams));
  EXPECT_TRUE(socket_trouble({.family = AF_UNIX, .type = SOCK_STREAM}));
}

TEST(EventFilesTest, APidfdIsParsedToThePidInTheBranch) {
  auto event = parse_event("anon_inode:[pidfd]", "flags:\t02000002\nPid:\t90\nNSpid:\t90\t7\n");
  ASSERT_TRUE(event);
  EXPECT_EQ(event->kind, EventKind::kProcess);
  EXPECT_EQ(event->numbers, (std::vector<std::uint64_t>{7}));
  EXPECT_FALSE(parse_event("anon_inode:[pidfd]", "flags:\t02000002\nPid:\t-1\nNSpid:\t-1\n"));
  EXPECT_FALSE(parse_event("anon_inode:[pidfd]", "flags:\t02\nPid:\t90\nNSpid:\t90\n"));
  EXPECT_FALSE(parse_event("anon_inode:[pidfd]", "flags:\t0202\nPid:\t90\nNSpid:\t90\t7\n"));
}

TEST(EventFilesTest, InotifyWatchesAreSortedByNumber) {
  auto watches = parse_watches(
      "pos:\t0\ninotify wd:b ino:2dd sdev:2a mask:20 ignored_mask:0\n"
      "inotify wd:1 ino:3c sdev:2a mask:300 ignored_mask:0\n");
  ASSERT_TRUE(watches);
  ASSERT_EQ(watches->size(), 2U);
  EXPECT_EQ((*watches)[0].number, 1);
  EXPECT_EQ((*watches)[1].number, 11);
  EXPECT_EQ((*watches)[1].inode, 0x2ddU);
  EXPECT_FALSE(parse_watches("inotify wd:1 ino:\n"));
}

TEST(EventFilesTest, InotifyNeedsAPathForEveryWatchAndNothingUnread) {
  InotifyFacts facts;
  EXPECT_NE(inotify_trouble(facts), "");
  facts.is_one = true;
  facts.watches = {{.number = 1, .mask = 2, .inode = 3, .path = "/w"}};
  EXPECT_EQ(inotify_trouble(facts), "");
  facts.has_events = true;
  EXPECT_NE(inotify_trouble(facts), "");
  facts.has_events = false;
  facts.watches[0].path.clear();
  EXPECT_NE(inotify_trouble(facts), "");
}

}  // namespace
}  // namespace sf::waypoint::native
