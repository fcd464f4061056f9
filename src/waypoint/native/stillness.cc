#include "waypoint/native/stillness.h"

#include <linux/futex.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>

namespace sf::waypoint::native {
namespace {

// Kernel numbers of a call that a stop has interrupted, and that is to be made once more.
constexpr long kFirstRestart = -516;
constexpr long kLastRestart = -512;

bool was_interrupted(long result) {
  return (result >= kFirstRestart && result <= kLastRestart) || result == -EINTR;
}

bool is_negative(std::uint64_t argument) { return static_cast<std::int32_t>(argument) < 0; }

// A socket may have a time limit of its own, and so may a terminal.
bool reads_for_ever(std::uint64_t number, const ProcessFacts& process) {
  auto fd = std::ranges::find(process.descriptors, static_cast<int>(number),
                              &DescriptorFacts::number);
  return fd != process.descriptors.end() && fd->socket.family == 0 && !fd->pty.reads_with_time;
}

}  // namespace

SystemCall call_of(const user_regs_struct& registers, long number) {
  return {number,
          {registers.rdi, registers.rsi, registers.rdx, registers.r10, registers.r8},
          static_cast<long>(registers.rax)};
}

Wait wait_of(const SystemCall& call, const ProcessFacts& process) {
  if (!was_interrupted(call.result)) return Wait::kNot;
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

bool may_be_asked(const ProcessFacts& process) {
  return std::ranges::any_of(process.descriptors, [](const DescriptorFacts& fd) {
    return fd.socket.listens || !fd.socket.local.name.empty();
  });
}

}  // namespace sf::waypoint::native
