// The coverage of the fingerprint (fingerprint.h): how it detects a change of each part of a
// checkpoint. Pure data.
//
// There is one row for each field that the native engine writes into an image, and for each key of
// a CapturedState. tests/equivalence/fingerprint_coverage_test.cc walks the images and fails for a
// field without a row. tests/equivalence/unchanged_aspects_test.cc changes every aspect listed here
// and checks that the branch then shares no checkpoint.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "engine/native/image.h"

namespace sf::waypoint {

// A part of the state of a branch that a command can change and a later command can see.
enum class StateAspect {
  kNone,
  kName,
  kUmask,
  kSignals,
  kLimits,
  kOomScore,
  kCoreFilter,
  kTimerSlack,
  kSchedule,  // policy, niceness, slice
  kAffinity,
  kIoPriority,
  kDirectory,
  kDescriptors,
  kTerminalSettings,
  kWindow,
  kTerminalOwner,
  kSystemV,
  kMessageQueues,
  kOtherProcesses,
  kHostName,
  kFiles,
  kFileAccess,
  kMounts,
  kShell,  // variables, options, and all other state that bash reports
  kCount
};

enum class Sight {
  kDigested,  // a change changes the digest
  kRefused,   // a branch with it gets no fingerprint
  kTold,      // bash reports it after a command, or no plain command changes it (is_plain())
  kCarried,   // every command changes it; a checkpoint with a base has its own (CatchUp)
  kFixed,     // constant while only bash runs, from prompt to prompt
  kInside     // a struct; its fields have their own rows
};

template <typename S>
struct SavedField {
  const void* (*in)(const S&);
  std::string_view name;
  Sight sight;
  StateAspect aspect = StateAspect::kNone;  // kNone: no command can change it
  std::string_view how = {};                // the source that is read, or the reason
};

struct SavedKey {  // of to_json(CapturedState)
  std::string_view name;
  Sight sight;
  StateAspect aspect = StateAspect::kNone;
  std::string_view how = {};
};

// For init, the shell and the process that holds the shell's descriptors, everything that other
// processes can change is digested. State that only a process itself can change (prctl and the
// like) is fixed: bash does not change it, and init and the holder run no commands. A program that
// writes into the memory of another one (ptrace) is not covered.
inline constexpr std::string_view kItself = "only the process itself can set it; bash does not";
inline constexpr std::string_view kAtStart = "the C library sets it when a program starts";
inline constexpr std::string_view kMemory = "memory: the state of bash";
inline constexpr std::string_view kInner = "only terminals made inside; their masters are refused";

#define SF_SAVED(field, ...)                                                    \
  {                                                                             \
    [](const Saved& s) -> const void* { return &s.field; }, #field, __VA_ARGS__ \
  }

inline constexpr auto rows_of(const native::Credentials*) {
  using Saved = native::Credentials;
  using enum Sight;
  using enum StateAspect;
  return std::to_array<SavedField<Saved>>({
      SF_SAVED(uids, kDigested, kNone, "status: Uid"),
      SF_SAVED(gids, kDigested, kNone, "status: Gid"),
      SF_SAVED(groups, kDigested, kNone, "status: Groups"),
      SF_SAVED(capabilities, kDigested, kNone, "status: Cap..."),
      SF_SAVED(secure_bits, kFixed, kNone, kItself),
      SF_SAVED(no_new_privileges, kDigested, kNone, "status: NoNewPrivs"),
  });
}

inline constexpr auto rows_of(const native::ThreadImage*) {
  using Saved = native::ThreadImage;
  using enum Sight;
  using enum StateAspect;
  return std::to_array<SavedField<Saved>>({
      SF_SAVED(tid, kDigested, kOtherProcesses, "status: NSpid"),
      SF_SAVED(name, kDigested, kName, "status: Name"),
      SF_SAVED(registers, kTold, kNone, kMemory),
      SF_SAVED(extended, kTold, kNone, kMemory),
      SF_SAVED(blocked, kDigested, kSignals, "status: SigBlk"),
      SF_SAVED(pending, kRefused, kSignals, "status: SigPnd"),
      SF_SAVED(alternate_stack, kFixed, kNone, kAtStart),
      SF_SAVED(clear_tid, kFixed, kNone, kAtStart),
      SF_SAVED(robust_list, kFixed, kNone, kAtStart),
      SF_SAVED(robust_size, kFixed, kNone, kAtStart),
      SF_SAVED(rseq, kFixed, kNone, kAtStart),
      SF_SAVED(credentials, kInside),
      SF_SAVED(nice, kDigested, kSchedule, "sched_getattr"),
      SF_SAVED(io_priority, kDigested, kIoPriority, "ioprio_get"),
      SF_SAVED(death_signal, kFixed, kNone, kItself),
      SF_SAVED(timer_slack, kDigested, kTimerSlack, "timerslack_ns"),
      SF_SAVED(slice, kDigested, kSchedule, "sched_getattr"),
      SF_SAVED(resets_on_fork, kDigested, kSchedule, "sched_getattr"),
      SF_SAVED(time_stamp, kFixed, kNone, kItself),
      SF_SAVED(memory_failure, kFixed, kNone, kItself),
      SF_SAVED(affinity, kDigested, kAffinity, "sched_getaffinity"),
      SF_SAVED(filters, kFixed, kNone, kItself),
  });
}

inline constexpr auto rows_of(const native::ProcessImage*) {
  using Saved = native::ProcessImage;
  using enum Sight;
  using enum StateAspect;
  return std::to_array<SavedField<Saved>>({
      SF_SAVED(pid, kDigested, kOtherProcesses, "status: NSpid"),
      SF_SAVED(parent, kRefused, kOtherProcesses, "any other tree than init's own children"),
      SF_SAVED(group, kDigested, kOtherProcesses, "status: NSpgid"),
      SF_SAVED(session, kDigested, kOtherProcesses, "status: NSsid"),
      SF_SAVED(life, kRefused, kOtherProcesses, "status: State, of a stopped process"),
      SF_SAVED(terminal, kFixed, kNone, "a session leader keeps its terminal"),
      SF_SAVED(exit_signal, kFixed, kNone, kAtStart),
      SF_SAVED(exit_status, kRefused, kOtherProcesses, "an ended process is another child"),
      SF_SAVED(stop_noticed, kRefused, kOtherProcesses, "status: State, of a stopped process"),
      SF_SAVED(threads, kInside),
      SF_SAVED(mappings, kTold, kNone, kMemory),
      SF_SAVED(pages, kTold, kNone, kMemory),
      SF_SAVED(guards, kTold, kNone, kMemory),
      SF_SAVED(layout, kTold, kNone, kMemory),
      SF_SAVED(descriptors, kDigested, kDescriptors, "fd, of the shell"),
      SF_SAVED(cwd, kDigested, kDirectory, "cwd"),
      SF_SAVED(cwd_inode, kDigested, kDirectory, "cwd; a removal changes its parent"),
      SF_SAVED(umask, kDigested, kUmask, "status: Umask"),
      SF_SAVED(actions, kDigested, kSignals, "status: SigIgn, SigCgt; traps are refused"),
      SF_SAVED(pending, kRefused, kSignals, "status: ShdPnd"),
      SF_SAVED(timers, kFixed, kNone, kItself),
      SF_SAVED(posix_timers, kFixed, kNone, kItself),
      SF_SAVED(limits, kDigested, kLimits, "limits"),
      SF_SAVED(oom_score_adj, kDigested, kOomScore, "oom_score_adj"),
      SF_SAVED(core_filter, kDigested, kCoreFilter, "coredump_filter"),
      SF_SAVED(dumpable, kFixed, kNone, kItself),
      SF_SAVED(subreaper, kFixed, kNone, kItself),
      SF_SAVED(personality, kFixed, kNone, kItself),
      SF_SAVED(no_huge_pages, kFixed, kNone, kItself),
  });
}

inline constexpr auto rows_of(const native::FileImage*) {
  using Saved = native::FileImage;
  using enum Sight;
  using enum StateAspect;
  return std::to_array<SavedField<Saved>>({
      SF_SAVED(kind, kRefused, kDescriptors, "all but the terminal, files and directories"),
      SF_SAVED(path, kDigested, kDescriptors, "the link in fd"),
      SF_SAVED(flags, kDigested, kDescriptors, "fdinfo: flags"),
      SF_SAVED(offset, kDigested, kDescriptors, "fdinfo: pos"),
      SF_SAVED(inode, kRefused, kDescriptors, "files without a name"),
      SF_SAVED(terminal, kDigested, kDescriptors, "the link in fd"),
      SF_SAVED(event, kRefused, kDescriptors, "all but the terminal, files and directories"),
      SF_SAVED(socket, kRefused, kDescriptors, "all but the terminal, files and directories"),
      SF_SAVED(locks, kDigested, kDescriptors, "fdinfo: lock"),
      SF_SAVED(owner, kRefused, kDescriptors, "fdinfo: flags with O_ASYNC"),
  });
}

inline constexpr auto rows_of(const native::TerminalImage*) {
  using Saved = native::TerminalImage;
  using enum Sight;
  using enum StateAspect;
  return std::to_array<SavedField<Saved>>({
      SF_SAVED(number, kFixed, kNone, "always the first terminal"),
      SF_SAVED(settings, kDigested, kTerminalSettings, "TCGETS2"),
      SF_SAVED(window, kDigested, kWindow, "TIOCGWINSZ"),
      SF_SAVED(uid, kDigested, kTerminalOwner, "stat"),
      SF_SAVED(gid, kDigested, kTerminalOwner, "stat"),
      SF_SAVED(mode, kDigested, kTerminalOwner, "stat"),
      SF_SAVED(session, kFixed, kNone, "the shell's until it ends"),
      SF_SAVED(group, kFixed, kNone, "the shell's, while it waits at its prompt"),
      SF_SAVED(packets, kFixed, kNone, kInner),
      SF_SAVED(locked, kFixed, kNone, kInner),
      SF_SAVED(hung_up, kFixed, kNone, kInner),
      SF_SAVED(exclusive, kDigested, kTerminalSettings, "TIOCGEXCL"),
      SF_SAVED(data, kFixed, kNone, kInner),
  });
}

inline constexpr auto rows_of(const native::IpcImage*) {
  using Saved = native::IpcImage;
  using enum Sight;
  using enum StateAspect;
  return std::to_array<SavedField<Saved>>({
      SF_SAVED(segments, kRefused, kSystemV, "/proc/sysvipc/shm"),
      SF_SAVED(semaphores, kRefused, kSystemV, "/proc/sysvipc/sem"),
      SF_SAVED(queues, kRefused, kSystemV, "/proc/sysvipc/msg"),
      SF_SAVED(posix_queues, kRefused, kMessageQueues, "PosixQueues::look"),
  });
}

inline constexpr auto rows_of(const native::TreeImage*) {
  using Saved = native::TreeImage;
  using enum Sight;
  using enum StateAspect;
  return std::to_array<SavedField<Saved>>({
      SF_SAVED(processes, kInside),
      SF_SAVED(files, kInside),
      SF_SAVED(inodes, kRefused, kDescriptors, "those of the shell; others belong to init"),
      SF_SAVED(mapped, kTold, kNone, kMemory),
      SF_SAVED(terminal, kInside),
      SF_SAVED(ptys, kRefused, kDescriptors, "a master is open in a process"),
      SF_SAVED(ipc, kInside),
      SF_SAVED(pages_files, kFixed, kNone, "format of the image on disk"),
  });
}

#undef SF_SAVED

inline constexpr auto kSavedKeys = std::to_array<SavedKey>({
    {"hostname", Sight::kDigested, StateAspect::kHostName, "gethostname"},
    {"user", Sight::kFixed, StateAspect::kNone, "chosen when the branch starts"},
    {"home", Sight::kFixed, StateAspect::kNone, "chosen when the branch starts"},
    {"uid", Sight::kFixed, StateAspect::kNone, "chosen when the branch starts"},
    {"gid", Sight::kFixed, StateAspect::kNone, "chosen when the branch starts"},
    {"groups", Sight::kFixed, StateAspect::kNone, "chosen when the branch starts"},
    {"last_pid", Sight::kCarried, StateAspect::kNone, "same_as() reads the counter"},
    {"own_ipc", Sight::kRefused, StateAspect::kSystemV, "/proc/sysvipc"},
    {"tcp_in_flight", Sight::kRefused, StateAspect::kOtherProcesses, "it has the connection"},
    {"shell_pid", Sight::kDigested, StateAspect::kOtherProcesses, "status: NSpid"},
    {"holder_pid", Sight::kDigested, StateAspect::kOtherProcesses, "status: NSpid"},
    {"prompt_read", Sight::kFixed, StateAspect::kNone, "a property of this bash"},
    {"commands", Sight::kCarried, StateAspect::kNone, "StateFingerprint::commands"},
    {"command_running", Sight::kFixed, StateAspect::kNone, "the shell waits at its prompt"},
    {"screen_size", Sight::kCarried, StateAspect::kNone, "the screen is saved each time"},
    {"background_size", Sight::kCarried, StateAspect::kNone, "it is saved each time"},
    {"typed_size", Sight::kRefused, StateAspect::kShell, "same_as()"},
    {"typed_ends", Sight::kRefused, StateAspect::kShell, "same_as()"},
    {"defines_switch", Sight::kCarried, StateAspect::kNone, "it is saved each time"},
    {"history_off", Sight::kCarried, StateAspect::kNone, "it is saved each time"},
    {"waiting_size", Sight::kRefused, StateAspect::kShell, "same_as()"},
    {"shows_prompt", Sight::kRefused, StateAspect::kShell, "no fingerprint since keys were typed"},
    {"stopped_us", Sight::kFixed, StateAspect::kNone, "a measurement"},
    {"may_hold", Sight::kFixed, StateAspect::kNone, "a plan, not a state"},
    {"request_pending", Sight::kFixed, StateAspect::kNone,
     "none while nothing runs beside the shell"},
    {"may_act", Sight::kCarried, StateAspect::kNone, "it is saved each time"},
    {"mark", Sight::kFixed, StateAspect::kNone, "it is the fingerprint"},
    {"catch_up", Sight::kCarried, StateAspect::kNone, "CatchUp"},
});

// State that is saved as the branch's files, and state that no engine saves but a restore brings
// back.
inline constexpr auto kSavedBeside = std::to_array<SavedKey>({
    {"files", Sight::kDigested, StateAspect::kFiles, "stat of every changed file, except atime"},
    {"access times", Sight::kDigested, StateAspect::kFileAccess, "st_atim"},
    {"mounts", Sight::kRefused, StateAspect::kMounts, "mountinfo: types of file systems"},
    {"shell", Sight::kTold, StateAspect::kShell, "ShellFingerprint::state"},
});

}  // namespace sf::waypoint
