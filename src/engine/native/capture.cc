#include "engine/native/capture.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <optional>

#include "engine/native/files/controlling_terminal.h"
#include "engine/native/files/files.h"
#include "engine/native/files/ptys.h"
#include "engine/native/memory/memory.h"
#include "engine/native/process/limits.h"
#include "engine/native/process/posix_timers.h"
#include "engine/native/process/seccomp.h"
#include "engine/native/process/signals.h"
#include "engine/native/process/stopped_jobs.h"
#include "engine/native/process/threads.h"
#include "engine/native/program/syscall_interpreter.h"
#include "engine/native/ptrace/remote_fd.h"
#include "os/error.h"

namespace sf::waypoint::native {
namespace {

constexpr std::size_t kVisitSize = 64U << 10U;
constexpr std::size_t kStackSize = 4096;

// Memory of the engine in a traced process, unmapped by the destructor. Programs run there to query
// what only the process itself can ask the kernel.
class RemoteSyscalls {
 public:
  static Result<RemoteSyscalls> begin(Tracee& leader, std::uint64_t vdso) {
    auto instruction = syscall_in_vdso();
    if (!instruction) return fail(ErrorCode::kUnsupported, "no syscall instruction in the vDSO");
    RemoteSyscalls remote(leader, vdso + *instruction);
    SF_TRY_ASSIGN(long at, leader.call(remote.instruction_, SYS_mmap,
                                       {0, kVisitSize, PROT_READ | PROT_WRITE | PROT_EXEC,
                                        MAP_PRIVATE | MAP_ANONYMOUS, ~0ULL, 0}));
    if (at < 0 && at > -4096) return os::os_error(static_cast<int>(-at), "mapping scratch memory");
    remote.base_ = static_cast<std::uint64_t>(at);
    return remote;
  }
  RemoteSyscalls(RemoteSyscalls&& other) noexcept
      : leader_(other.leader_),
        instruction_(other.instruction_),
        base_(std::exchange(other.base_, 0)) {}
  RemoteSyscalls& operator=(RemoteSyscalls&&) = delete;
  ~RemoteSyscalls() {
    if (base_ != 0) (void)leader_.call(instruction_, SYS_munmap, {base_, kVisitSize});
  }

  // Has the thread run the program that `write` fills in; `read` evaluates the results.
  template <typename Write, typename Read>
  Status ask(Tracee& thread, Write write, Read read) {
    InterpreterCode code = interpreter_code();
    std::vector<unsigned char> memory(kVisitSize);
    Arena arena(memory.data(), base_, memory.size());
    std::vector<std::string> subjects;
    std::uint64_t entry = arena.put(code.bytes.data(), code.bytes.size()) + code.entry;
    ProgramWriter program(arena, subjects);
    auto questions = write(program);
    program.call(kTrap, {});
    std::uint64_t start = program.finish(0, 0);
    std::uint64_t stack = arena.reserve(kStackSize) + kStackSize;
    SF_TRY(copy(memory.data(), arena.used(), true, thread.tid()));
    SF_TRY(thread.run(entry, start, stack));
    SF_TRY(copy(memory.data(), arena.used(), false, thread.tid()));
    read(program, questions);
    return Ok{};
  }

 private:
  RemoteSyscalls(Tracee& leader, std::uint64_t instruction)
      : leader_(leader), instruction_(instruction) {}

  Status copy(unsigned char* here, std::size_t size, bool into, pid_t tid) const {
    iovec local{here, size};
    iovec remote{reinterpret_cast<void*>(base_), size};
    ssize_t n = into ? ::process_vm_writev(tid, &local, 1, &remote, 1, 0)
                     : ::process_vm_readv(tid, &local, 1, &remote, 1, 0);
    if (n == static_cast<ssize_t>(size)) return Ok{};
    return os::last_error("accessing a process's memory");
  }

  Tracee& leader_;
  std::uint64_t instruction_;
  std::uint64_t base_ = 0;
};

// The file shows the counter of the reader's PID namespace, so a process of the branch reads it.
struct PidCounterQuestion {
  std::uint64_t text;
  std::size_t step;
  static constexpr std::size_t kSize = 16;

  explicit PidCounterQuestion(ProgramWriter& program) : text(program.arena().reserve(kSize)) {
    Arena& arena = program.arena();
    Argument fd = program.keep(
        SYS_openat, {AT_FDCWD, arena.put_text("/proc/sys/kernel/ns_last_pid"), O_RDONLY});
    step = program.next_step();
    program.call(SYS_read, {fd, text, kSize - 1});
    program.call(SYS_close, {fd});
  }
  pid_t answer(ProgramWriter& program) const {
    bool read = program.result(step) > 0;
    return read ? std::atoi(program.arena().at<char>(text)) : 0;
  }
};

struct LeaderQuestions {
  StoppedJobQuestions stops;
  SignalQuestions signals;
  std::uint64_t timers;
  ProcessQuestions process;
  ThreadQuestions thread;
  std::optional<PidCounterQuestion> counter;  // only in the first process that is asked
};

class Capture {
 public:
  Capture(const TreeFacts& facts, StoppedTree& stopped, CaptureMemory& memory)
      : facts_(facts), stopped_(stopped), memory_(memory) {}

  Result<WrittenTree> run(const CaptureRequest& request) {
    SF_TRY_ASSIGN(PagesWriter pages, PagesWriter::create(request.image_dir, memory_.buffer));
    InodeCapture inodes(tree_, pages);
    std::vector<MemoryPlan> plans;
    for (const ProcessFacts& facts : facts_.processes) {
      ProcessImage& process = tree_.processes.emplace_back();
      describe(facts, process);
      MemoryPlan& plan = plans.emplace_back();
      if (facts.ended()) continue;
      std::string proc = "/proc/" + std::to_string(facts.pid);
      if (is_deleted(facts.cwd)) {
        SF_TRY_ASSIGN(process.cwd_inode, inodes.find_or_capture(proc + "/cwd", facts.cwd, {}));
      }
      if (is_deleted(facts.exe) && facts.exe_lost.left != LostName::Left::kOwn) {
        SF_TRY_ASSIGN(process.layout.exe_inode,
                      inodes.find_or_capture(proc + "/exe", facts.exe, facts.exe_lost));
      }
      SF_TRY(describe_memory(facts, process, tree_, inodes));
      SF_TRY(capture_threads(facts, process));
      SF_TRY_ASSIGN(plan, plan_memory(facts, memory_.watches));
      for (const PageRange& guard : plan.guards) process.guards.push_back({guard.start, guard.end});
      if (process.pid == 1 && memory_.init.knows(facts.pid, request.init_requests) &&
          stopped_children(facts.pid).empty()) {
        SF_TRY(memory_.init.answer(process));
        continue;
      }
      bool is_first = std::exchange(nobody_visited_, false);
      SF_TRY(ask(facts, process, plan, is_first ? request.at_point : AtPoint()));
      if (is_first) SF_TRY(reached(request.at_point, "checkpoint.native_visited"));
    }
    SF_TRY(write_memory(facts_, plans, pages, tree_));
    SF_TRY(reached(request.at_point, "checkpoint.native_copied"));
    for (ProcessImage& process : tree_.processes)
      process.stop_noticed = std::ranges::find(noticed_, process.pid) != noticed_.end() ? 1 : 0;
    SF_TRY(capture_files(facts_, tree_, inodes, makers_));
    SF_TRY(capture_terminal(facts_.processes[0].pid, tree_.terminal));
    SF_TRY(capture_ptys(facts_, tree_));
    if (facts_.ipc.any) SF_TRY(capture_ipc(facts_, tree_.ipc, pages));
    SF_TRY(memory_.posix_queues.capture(facts_.ipc.posix_queues, tree_.ipc));
    return WrittenTree{std::move(tree_), std::move(pages), std::move(plans)};
  }

 private:
  pid_t inner_pid(pid_t pid) const {
    auto found = std::ranges::find(facts_.processes, pid, &ProcessFacts::pid);
    return found == facts_.processes.end() ? 0 : found->inner_pid();
  }

  void describe(const ProcessFacts& facts, ProcessImage& process) const {
    const StatText& stat = facts.stat();
    process.pid = facts.inner_pid();
    process.parent = inner_pid(facts.parent);
    process.group = facts.status().groups.back();
    process.session = facts.status().sessions.back();
    process.terminal = terminal_number(stat.terminal);
    process.exit_signal = stat.exit_signal;
    process.umask = facts.status().umask;
    process.cwd = facts.cwd;
    process.oom_score_adj = facts.oom_score_adj;
    process.core_filter = facts.core_filter;
    process.posix_timers = parse_timers(facts.timers).value();
    for (PosixTimer& timer : process.posix_timers) {  // the list has the engine's tids
      auto whom = std::ranges::find(facts.threads, timer.thread, &ThreadFacts::tid);
      if (whom != facts.threads.end()) timer.thread = whom->status.pids.back();
    }
    if (!facts.ended()) return;
    process.life = Life::kEnded;
    process.exit_status = stat.exit_status;
    ThreadImage& only = process.threads.emplace_back();
    only.tid = process.pid;
    only.name = stat.name;
    only.nice = stat.nice;
    only.credentials = facts.status().credentials;
  }

  Status capture_threads(const ProcessFacts& facts, ProcessImage& process) {
    for (const ThreadFacts& each : facts.threads) {
      Tracee& tracee = stopped_.thread(each.tid);
      SF_TRY_ASSIGN(ThreadImage thread, describe_thread(each, tracee));
      SF_TRY_ASSIGN(thread.filters, capture_filters(each.status, tracee));
      thread.registers =
          registers_for_restore(thread.registers, memory_.calls.learn(each, tracee.registers()));
      process.threads.push_back(std::move(thread));
    }
    Tracee& leader = stopped_.thread(facts.pid);
    if (leader.in_group_stop()) process.life = Life::kStopped;
    SF_TRY_ASSIGN(process.pending, leader.pending(Tracee::Queue::kProcess));
    return Ok{};
  }

  std::vector<pid_t> stopped_children(pid_t pid) {
    std::vector<pid_t> stopped;
    for (const ProcessFacts& child : facts_.processes)
      if (child.parent == pid && !child.ended() && stopped_.thread(child.pid).in_group_stop())
        stopped.push_back(child.inner_pid());
    return stopped;
  }

  Status ask(const ProcessFacts& facts, ProcessImage& process, const MemoryPlan& plan,
             const AtPoint& at_point) {
    auto vdso = std::ranges::find(facts.mappings, "[vdso]", &MappingText::name);
    SF_TRY_ASSIGN(RemoteSyscalls remote,
                  RemoteSyscalls::begin(stopped_.thread(facts.pid), vdso->start));
    SF_TRY(remote.ask(
        stopped_.thread(facts.pid),
        [&](ProgramWriter& program) {
          return LeaderQuestions{
              StoppedJobQuestions(program, stopped_children(facts.pid)),
              ask_actions(program),
              ask_timers(program, process.posix_timers),
              ProcessQuestions(program),
              ThreadQuestions(program),
              tree_.last_pid == 0 ? std::make_optional<PidCounterQuestion>(program) : std::nullopt};
        },
        [&](ProgramWriter& program, LeaderQuestions& asked) {
          take_actions(program.arena(), asked.signals, process);
          take_timers(program.arena(), asked.timers, process.posix_timers);
          asked.process.take(process);
          asked.thread.take(process.threads[0]);
          if (asked.counter) tree_.last_pid = asked.counter->answer(program);
          for (pid_t child : asked.stops.noticed(program.arena())) noticed_.push_back(child);
        }));
    SF_TRY(reached(at_point, "checkpoint.native_visiting"));
    SF_TRY(ask_makers(remote, facts));
    for (std::size_t i = 1; i < facts.threads.size(); ++i) {
      SF_TRY(remote.ask(
          stopped_.thread(facts.threads[i].tid),
          [](ProgramWriter& program) { return ThreadQuestions(program); },
          [&](ProgramWriter&, ThreadQuestions& asked) { asked.take(process.threads[i]); }));
    }
    if (!plan.to_watch.empty()) SF_TRY(begin_watch(facts, remote));
    return Ok{};
  }

  // If the watch cannot begin, every capture copies all of the process's memory.
  Status begin_watch(const ProcessFacts& facts, RemoteSyscalls& remote) {
    {
      auto lock = memory_.watches.lock();
      if (memory_.watches.find(name_of(facts)) != nullptr) return Ok{};
    }
    Tracee& leader = stopped_.thread(facts.pid);
    long number = -1;
    auto nothing = [](ProgramWriter&, auto&) {};
    SF_TRY(remote.ask(
        leader,
        [](ProgramWriter& program) {
          std::size_t step = program.next_step();
          program.call(SYS_userfaultfd, {O_CLOEXEC | O_NONBLOCK | kUserModeOnly});
          return step;
        },
        [&](ProgramWriter& program, std::size_t& step) { number = program.result(step); }));
    if (number < 0) return Ok{};
    auto fd = descriptor_of(facts.pid, static_cast<int>(number));
    SF_TRY(remote.ask(
        leader,
        [&](ProgramWriter& program) {
          program.call(SYS_close, {number});
          return 0;
        },
        nothing));
    if (!fd) return Ok{};
    auto fault = UserFault::begin(std::move(*fd), UserFault::Purpose::kWatch);
    if (!fault) return Ok{};
    return memory_.watches.add(name_of(facts), {std::move(*fault), UserFault::Purpose::kWatch, {}});
  }

  Status ask_makers(RemoteSyscalls& remote, const ProcessFacts& facts) {
    std::vector<int> numbers = unix_sockets_of(facts);
    for (std::size_t i = 0; i < numbers.size(); i += MakerQuestions::kMost) {
      std::vector<int> some(
          numbers.begin() + static_cast<long>(i),
          numbers.begin() + static_cast<long>(std::min(i + MakerQuestions::kMost, numbers.size())));
      SF_TRY(remote.ask(
          stopped_.thread(facts.pid),
          [&](ProgramWriter& program) { return MakerQuestions(program, some); },
          [&](ProgramWriter& program, MakerQuestions& asked) {
            asked.take(program.arena(), facts.pid, makers_);
          }));
    }
    return Ok{};
  }

  const TreeFacts& facts_;
  StoppedTree& stopped_;
  CaptureMemory& memory_;
  TreeImage tree_;
  SocketMakers makers_;
  bool nobody_visited_ = true;
  std::vector<pid_t> noticed_;  // stopped processes that their parents have waited for
};

}  // namespace

long InterruptedCalls::learn(const ThreadFacts& thread, const user_regs_struct& r) {
  std::array<std::uint64_t, 4> location = {r.rip, r.rsp, r.rdi, r.rsi};
  auto number = static_cast<long>(r.orig_rax);
  if (number != SYS_restart_syscall) {
    known_[thread.tid] = {thread.stat.start_time, location, number};
    return number;
  }
  auto found = before_.find(thread.tid);
  bool same = found != before_.end() && found->second.start_time == thread.stat.start_time &&
              found->second.location == location;
  if (!same) return -1;
  known_[thread.tid] = found->second;
  return found->second.number;
}

void make_calls_anew(const TreeFacts& facts, StoppedTree& stopped, InterruptedCalls& calls) {
  for_each_thread(facts, stopped, [&](const ThreadFacts& thread, Tracee& tracee) {
    user_regs_struct anew =
        registers_for_restore(tracee.registers(), calls.learn(thread, tracee.registers()));
    if (anew.rip != tracee.registers().rip) tracee.resume_with(anew);
  });
}

Result<WrittenTree> capture_tree(const TreeFacts& facts, StoppedTree& stopped,
                                 const CaptureRequest& request, CaptureMemory& memory) {
  return Capture(facts, stopped, memory).run(request);
}

void note_written(const TreeFacts& facts, const WrittenTree& written, MemoryWatches& watches) {
  for (std::size_t i = 0; i < facts.processes.size(); ++i)
    note_written(facts.processes[i], written.plans[i], written.image.processes[i].pages,
                 written.pages, watches);
}

}  // namespace sf::waypoint::native
