#include "engine/native/process/threads.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <cerrno>

namespace sf::waypoint::native {
namespace {

constexpr auto kInterrupted = static_cast<unsigned long long>(-516);  // ERESTART_RESTARTBLOCK

user_regs_struct in_call(long number, unsigned long long result) {
  user_regs_struct r{};
  r.rip = 1002;
  r.orig_rax = static_cast<unsigned long long>(number);
  r.rax = result;
  return r;
}

TEST(RegistersForRestoreTest, CallsThatTheKernelRestartsAreUnchanged) {
  user_regs_struct r = in_call(SYS_read, static_cast<unsigned long long>(-512));
  user_regs_struct out = registers_for_restore(r, 0);
  EXPECT_EQ(out.rip, r.rip);
  EXPECT_EQ(out.orig_rax, r.orig_rax);
}

TEST(RegistersForRestoreTest, AWaitWithATimeoutIsRepeated) {
  user_regs_struct out = registers_for_restore(in_call(SYS_poll, kInterrupted), 0);
  EXPECT_EQ(out.rax, static_cast<unsigned long long>(SYS_poll));
  EXPECT_EQ(out.rip, 1000U);
  EXPECT_EQ(out.orig_rax, ~0ULL);
}

TEST(RegistersForRestoreTest, ASleepThatOverwritesItsTimeIsRepeated) {
  user_regs_struct r = in_call(SYS_nanosleep, kInterrupted);
  r.rdi = r.rsi = 5000;
  EXPECT_EQ(registers_for_restore(r, 0).rip, 1000U);
}

TEST(RegistersForRestoreTest, ASleepThatStoresTheTimeLeftElsewhereReturnsEintr) {
  user_regs_struct r = in_call(SYS_nanosleep, kInterrupted);
  r.rdi = 5000;
  r.rsi = 6000;
  user_regs_struct out = registers_for_restore(r, 0);
  EXPECT_EQ(out.rip, 1002U);
  EXPECT_EQ(out.rax, static_cast<unsigned long long>(-EINTR));
}

TEST(RegistersForRestoreTest, ARestartedCallIsReplacedByTheOriginalCall) {
  user_regs_struct out =
      registers_for_restore(in_call(SYS_restart_syscall, kInterrupted), SYS_clock_nanosleep);
  EXPECT_EQ(out.rax, static_cast<unsigned long long>(SYS_clock_nanosleep));
  out = registers_for_restore(in_call(SYS_restart_syscall, kInterrupted), 0);
  EXPECT_EQ(out.rax, static_cast<unsigned long long>(-EINTR)) << "the original call is unknown";
}

}  // namespace
}  // namespace sf::waypoint::native
