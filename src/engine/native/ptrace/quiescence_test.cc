#include "engine/native/ptrace/quiescence.h"

#include <gtest/gtest.h>
#include <linux/futex.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <cerrno>

namespace sf::waypoint::native {
namespace {

constexpr long kRestart = -512;
constexpr std::uint64_t kSome = 0x7ffe0000;  // address of a time limit

ProcessFacts process() {
  ProcessFacts facts;
  facts.descriptors.emplace_back().number = 0;
  DescriptorFacts& socket = facts.descriptors.emplace_back();
  socket.number = 1;
  socket.socket.family = AF_INET;
  DescriptorFacts& terminal = facts.descriptors.emplace_back();
  terminal.number = 2;
  terminal.pty.reads_with_time = true;
  return facts;
}

Wait wait(long number, std::array<std::uint64_t, 5> arguments, long result = kRestart) {
  return wait_of({number, arguments, result}, process());
}

TEST(QuiescenceTest, CallsWithoutATimeLimitWaitForEver) {
  EXPECT_EQ(wait(SYS_read, {0}), Wait::kForEver);
  EXPECT_EQ(wait(SYS_wait4, {7}), Wait::kForEver);
  EXPECT_EQ(wait(SYS_pause, {}), Wait::kForEver);
  EXPECT_EQ(wait(SYS_poll, {kSome, 1, 0xffffffffU}), Wait::kForEver);
  EXPECT_EQ(wait(SYS_ppoll, {kSome, 1, 0}), Wait::kForEver);
  EXPECT_EQ(wait(SYS_pselect6, {1, kSome, 0, 0, 0}), Wait::kForEver);
  EXPECT_EQ(wait(SYS_epoll_wait, {3, kSome, 8, ~0ULL}, -EINTR), Wait::kForEver);
  EXPECT_EQ(wait(SYS_futex, {kSome, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, 0, 0}), Wait::kForEver);
}

TEST(QuiescenceTest, CallsWithATimeLimitWaitForATime) {
  EXPECT_EQ(wait(SYS_poll, {kSome, 1, 1000}), Wait::kForATime);
  EXPECT_EQ(wait(SYS_ppoll, {kSome, 1, kSome}), Wait::kForATime);
  EXPECT_EQ(wait(SYS_select, {1, kSome, 0, 0, kSome}), Wait::kForATime);
  EXPECT_EQ(wait(SYS_epoll_wait, {3, kSome, 8, 100}), Wait::kForATime);
  EXPECT_EQ(wait(SYS_epoll_pwait2, {3, kSome, 8, kSome}), Wait::kForATime);
  EXPECT_EQ(wait(SYS_futex, {kSome, FUTEX_WAIT, 0, kSome}), Wait::kForATime);
  EXPECT_EQ(wait(SYS_rt_sigtimedwait, {kSome, 0, kSome}), Wait::kForATime);
  EXPECT_EQ(wait(SYS_nanosleep, {kSome, 0}), Wait::kForATime);
  EXPECT_EQ(wait(SYS_read, {1}), Wait::kForATime);  // SO_RCVTIMEO
  EXPECT_EQ(wait(SYS_read, {2}), Wait::kForATime);
}

TEST(QuiescenceTest, OtherCallsDoNotWait) {
  EXPECT_EQ(wait(SYS_write, {0}), Wait::kNot);
  EXPECT_EQ(wait(SYS_accept, {9}), Wait::kNot);
  EXPECT_EQ(wait(SYS_read, {0}, 5), Wait::kNot);  // the read is complete
  EXPECT_EQ(wait(SYS_futex, {kSome, FUTEX_LOCK_PI, 0, 0}), Wait::kNot);
  EXPECT_EQ(wait(-1, {}, 0), Wait::kNot);  // runs user code
}

TEST(QuiescenceTest, AnUnknownInterruptedCallMayHaveATimeLimit) {
  EXPECT_EQ(wait(-1, {}, -516), Wait::kForATime);
}

TEST(QuiescenceTest, EintrCountsAsInterruptedOnlyForCallsThatAStopFails) {
  EXPECT_EQ(wait(SYS_read, {0}, -EINTR), Wait::kNot);
  EXPECT_EQ(wait(SYS_ppoll, {kSome, 1, 0}, -EINTR), Wait::kNot);
}

TEST(QuiescenceTest, InterruptedEpollWaitIsRestarted) {
  user_regs_struct registers{};
  registers.rip = 1000;
  registers.orig_rax = SYS_epoll_wait;
  registers.rax = static_cast<unsigned long long>(-EINTR);
  auto again = made_once_more(registers);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->rax, static_cast<unsigned long long>(SYS_epoll_wait));
  EXPECT_EQ(again->rip, 998U);
  EXPECT_EQ(again->orig_rax, ~0ULL);
  registers.orig_rax = SYS_read;
  EXPECT_FALSE(made_once_more(registers));
  registers.orig_rax = SYS_epoll_wait;
  registers.rax = 1;  // an event
  EXPECT_FALSE(made_once_more(registers));
}

TEST(QuiescenceTest, ListenersAndNamedSocketsHaveOutsiders) {
  EXPECT_FALSE(has_outsiders(process()));
  ProcessFacts server = process();
  server.descriptors[1].socket.listens = true;
  EXPECT_TRUE(has_outsiders(server));
  server = process();
  server.descriptors[1].socket.local.name = "/run/log";
  EXPECT_TRUE(has_outsiders(server));
  server = process();
  server.descriptors[0].file_system = 0x9fa0;  // /proc: the host's pressure, and its log
  EXPECT_TRUE(has_outsiders(server));
}

TreeFacts tree_of(std::size_t threads) {
  TreeFacts facts;
  ProcessFacts only = process();
  for (std::size_t i = 0; i < threads; ++i) {
    only.threads.emplace_back().tid = static_cast<pid_t>(i + 1);
    only.threads.back().stat.state = 'S';
  }
  facts.processes.push_back(std::move(only));
  return facts;
}

TEST(QuiescenceTest, ATreeWaitsAsItsThreadsDo) {
  const SystemCall for_ever{SYS_pause, {}, kRestart};
  const SystemCall for_a_time{SYS_nanosleep, {}, kRestart};
  const SystemCall nothing{-1, {}, 0};
  TreeFacts facts = tree_of(2);
  EXPECT_EQ(wait_of(facts, {{1, for_ever}, {2, for_ever}}), Wait::kForEver);
  EXPECT_EQ(wait_of(facts, {{1, for_ever}}), Wait::kForEver);  // the other is a stopped job
  EXPECT_EQ(wait_of(facts, {{1, nothing}, {2, for_ever}}), Wait::kNot);
  EXPECT_EQ(wait_of(facts, {{1, nothing}, {2, for_a_time}}), Wait::kForATime);
  facts.host_network = true;
  EXPECT_EQ(wait_of(facts, {{1, for_ever}, {2, for_ever}}), Wait::kForATime);
}

}  // namespace
}  // namespace sf::waypoint::native
