#include "engine/native/process/signals.h"

#include <sys/syscall.h>

#include <csignal>

namespace sf::waypoint::native {
namespace {

constexpr std::uint64_t kMaskSize = 8;
constexpr int kSignals = 64;

int number_of(const SignalInfo& info) {
  int number = 0;
  std::memcpy(&number, info.data(), sizeof number);
  return number;
}

}  // namespace

SignalQuestions ask_actions(ProgramWriter& program) {
  SignalQuestions asked;
  asked.actions = program.arena().reserve(sizeof(SignalAction) * kSignals);
  for (int number = 1; number <= kSignals; ++number)
    program.call(
        SYS_rt_sigaction,
        {number, 0, asked.actions + sizeof(SignalAction) * static_cast<unsigned>(number - 1),
         kMaskSize});
  return asked;
}

void take_actions(Arena& arena, const SignalQuestions& asked, ProcessImage& process) {
  std::memcpy(process.actions.data(), arena.local(asked.actions), sizeof process.actions);
}

std::uint64_t ask_alternate_stack(ProgramWriter& program) {
  std::uint64_t location = program.arena().reserve(sizeof(AlternateStack));
  program.call(SYS_sigaltstack, {0, location});
  return location;
}

void forget_child_signals(ProgramWriter& program) {
  // Ignoring a signal discards pending ones.
  SignalAction ignore;
  ignore.handler = 1;
  program.call(SYS_rt_sigaction, {SIGCHLD, program.arena().put_value(ignore), 0, kMaskSize});
}

void bring_back_actions(ProgramWriter& program, const ProcessImage& process) {
  for (int number = 1; number <= kSignals; ++number) {
    if (number == SIGKILL || number == SIGSTOP) continue;
    const SignalAction& action = process.actions[static_cast<std::size_t>(number - 1)];
    program.call(SYS_rt_sigaction, {number, program.arena().put_value(action), 0, kMaskSize});
  }
}

void bring_back_pending(ProgramWriter& program, const ProcessImage& process) {
  program.about("pending signals");
  for (const SignalInfo& info : process.pending)
    program.call(SYS_rt_sigqueueinfo,
                 {process.pid, number_of(info), program.arena().put_value(info)});
}

void bring_back_pending(ProgramWriter& program, const ProcessImage& process,
                        const ThreadImage& thread) {
  program.about("pending signals of a thread");
  for (const SignalInfo& info : thread.pending)
    program.call(SYS_rt_tgsigqueueinfo,
                 {process.pid, thread.tid, number_of(info), program.arena().put_value(info)});
}

void bring_back_alternate_stack(ProgramWriter& program, const ThreadImage& thread) {
  AlternateStack stack = thread.alternate_stack;
  stack.flags &= ~SS_ONSTACK;  // a state, not a setting
  program.about("alternate signal stack");
  program.call(SYS_sigaltstack, {program.arena().put_value(stack), 0});
}

}  // namespace sf::waypoint::native
