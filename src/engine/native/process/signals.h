// Signals: actions, masks, pending ones with their values, alternate stacks.
//
// Saved: the 64 actions as the kernel keeps them, both queues of pending signals, each thread's
// mask and alternate stack. Restored: by the process itself, with all signals blocked; the tracer
// sets the mask last, with the registers. Declined: nothing.
#pragma once

#include "engine/native/image.h"
#include "engine/native/program/program_writer.h"

namespace sf::waypoint::native {

struct SignalQuestions {
  std::uint64_t actions = 0;  // address of the results
};
SignalQuestions ask_actions(ProgramWriter& program);
void take_actions(Arena& arena, const SignalQuestions& asked, ProcessImage& process);
std::uint64_t ask_alternate_stack(ProgramWriter& program);

// Discards the SIGCHLD of children that ended or stopped during the restore.
void forget_child_signals(ProgramWriter& program);
void bring_back_actions(ProgramWriter& program, const ProcessImage& process);
void bring_back_pending(ProgramWriter& program, const ProcessImage& process);
void bring_back_pending(ProgramWriter& program, const ProcessImage& process,
                        const ThreadImage& thread);
void bring_back_alternate_stack(ProgramWriter& program, const ThreadImage& thread);

}  // namespace sf::waypoint::native
