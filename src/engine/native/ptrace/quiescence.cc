#include "engine/native/ptrace/quiescence.h"

#include <linux/futex.h>
#include <linux/magic.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>

namespace sf::waypoint::native {
namespace {

// Kernel-internal results of a call that a stop has interrupted and that will be restarted.
constexpr long kFirstRestart = -516;
constexpr long kLastRestart = -512;

constexpr std::uint64_t kSyscallSize = 2;  // bytes of the instruction

// System calls that fail with EINTR when their thread is stopped, even without a signal.
bool fails_at_stop(long number) {
  return number == SYS_epoll_wait || number == SYS_epoll_pwait || number == SYS_epoll_pwait2 ||
         number == SYS_rt_sigtimedwait;
}

bool was_interrupted(long number, long result) {
  return (result >= kFirstRestart && result <= kLastRestart) ||
         (result == -EINTR && fails_at_stop(number));
}

bool is_negative(std::uint64_t argument) { return static_cast<std::int32_t>(argument) < 0; }

// False for sockets and terminals that may have a read timeout of their own.
bool reads_for_ever(std::uint64_t number, const ProcessFacts& process) {
  auto fd =
      std::ranges::find(process.descriptors, static_cast<int>(number), &DescriptorFacts::number);
  return fd != process.descriptors.end() && fd->socket.family == 0 && !fd->pty.reads_with_time;
}

}  // namespace

SystemCall call_of(const user_regs_struct& registers, long number) {
  return {number,
          {registers.rdi, registers.rsi, registers.rdx, registers.r10, registers.r8},
          static_cast<long>(registers.rax)};
}

Wait wait_of(const SystemCall& call, const ProcessFacts& process) {
  if (!was_interrupted(call.number, call.result)) return Wait::kNot;
  if (call.number < 0) return Wait::kForATime;  // a call with a timeout, but it is unknown which
  const auto& [first, second, third, fourth, fifth] = call.arguments;
  auto unless = [](bool limited) { return limited ? Wait::kForATime : Wait::kForEver; };
  switch (call.number) {
    case SYS_read:
    case SYS_readv:
      return unless(!reads_for_ever(first, process));
    case SYS_wait4:
    case SYS_waitid:
    case SYS_pause:
    case SYS_rt_sigsuspend:
      return Wait::kForEver;
    case SYS_poll:
      return unless(!is_negative(third));
    case SYS_select:
    case SYS_pselect6:
      return unless(fifth != 0);
    case SYS_ppoll:
    case SYS_rt_sigtimedwait:
      return unless(third != 0);
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
      return unless(!is_negative(fourth));
    case SYS_epoll_pwait2:
      return unless(fourth != 0);
    case SYS_futex: {
      const auto operation = second & static_cast<std::uint64_t>(FUTEX_CMD_MASK);
      const bool waits = operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET;
      return waits ? unless(fourth != 0) : Wait::kNot;
    }
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
      return Wait::kForATime;
    default:
      return Wait::kNot;
  }
}

bool has_outsiders(const ProcessFacts& process) {
  return std::ranges::any_of(process.descriptors, [](const DescriptorFacts& fd) {
    return fd.socket.listens || !fd.socket.local.name.empty() ||
           fd.file_system == PROC_SUPER_MAGIC || fd.file_system == SYSFS_MAGIC;
  });
}

Wait wait_of(const TreeFacts& facts, const CallsMade& calls) {
  if (facts.host_network) return Wait::kForATime;
  Wait all = Wait::kForEver;
  for (const ProcessFacts& process : facts.processes) {
    if (process.ended()) continue;
    if (has_outsiders(process)) return Wait::kForATime;
    for (const ThreadFacts& thread : process.threads) {
      auto call = calls.find(thread.tid);
      if (call == calls.end()) continue;
      const Wait wait = wait_of(call->second, process);
      if (wait == Wait::kForATime) return wait;
      if (wait == Wait::kNot) all = wait;
    }
  }
  return all;
}

std::optional<user_regs_struct> made_once_more(const user_regs_struct& registers) {
  const auto number = static_cast<long>(registers.orig_rax);
  if (!fails_at_stop(number) || static_cast<long>(registers.rax) != -EINTR) return std::nullopt;
  user_regs_struct again = registers;
  again.rax = registers.orig_rax;
  again.orig_rax = ~0ULL;
  again.rip -= kSyscallSize;
  return again;
}

}  // namespace sf::waypoint::native
