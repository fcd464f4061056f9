#include "engine/native/program/restore_program.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "engine/native/files/controlling_terminal.h"
#include "engine/native/files/event_files.h"
#include "engine/native/files/file_owners.h"
#include "engine/native/files/inotify.h"
#include "engine/native/files/locks.h"
#include "engine/native/files/ptys.h"
#include "engine/native/memory/memory.h"
#include "engine/native/process/credentials.h"
#include "engine/native/process/limits.h"
#include "engine/native/process/posix_timers.h"
#include "engine/native/process/signals.h"
#include "engine/native/process/threads.h"
#include "engine/native/program/syscall_interpreter.h"

namespace sf::waypoint::native {
namespace {

constexpr std::size_t kStackSize = 8192;
constexpr std::uint64_t kThreadFlags =
    CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;

std::vector<Member> members_of(const TreeImage& tree) {
  std::vector<Member> members;
  for (const ProcessImage& p : tree.processes)
    members.push_back({p.pid, p.parent, p.group, p.session, p.terminal, p.life == Life::kEnded});
  return members;
}

class RestoreProgramWriter {
 public:
  RestoreProgramWriter(SharedArena& shared, const TreeImage& tree, const RestoreInputs& gifts,
                       const AsyncRoot& root)
      : shared_(shared), arena_(shared.arena()), tree_(tree), gifts_(gifts), root_(root) {}

  Result<TreePrograms> write() {
    InterpreterCode code = interpreter_code();
    all_.entry = arena_.put(code.bytes.data(), code.bytes.size()) + code.entry;
    all_.failure = arena_.put_value(Failure{});
    born_ = arena_.put_value(0U);
    joined_ = arena_.put_value(0U);
    door_ = arena_.put_value(0U);
    all_.parked = arena_.put_value(0U);
    all_.locations = choose_locations(tree_, *std::ranges::max_element(gifts_.pages));
    SF_TRY(check_room());
    std::vector<pid_t> tids;
    for (const ProcessImage& p : tree_.processes)
      for (const ThreadImage& thread : p.threads) tids.push_back(thread.tid);
    SF_TRY_ASSIGN(planned_forks_, plan_forks(members_of(tree_), tids));
    for (const PlannedFork& planned : planned_forks_)
      waiting_ += planned.kind != PlannedFork::Kind::kBridge ? 1 : 0;
    all_.first = write_planned(0);
    all_.stack = stack();
    return std::move(all_);
  }

 private:
  // The inodes' helper descriptors come after the descriptions.
  Status check_room() const {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    std::uint64_t needed =
        static_cast<std::uint64_t>(all_.locations.end) + 2 * tree_.inodes.size() + 8;
    if (needed < limit.rlim_max) return Ok{};
    return fail(ErrorCode::kUnsupported,
                "the branch has more open files than this process may open",
                "raise the hard limit of open files (ulimit -Hn)");
  }

  MemoryLocations memory_locations() const {
    return {shared_.start(), shared_.start() + shared_.size(), all_.locations, gifts_.lazy};
  }

  std::uint64_t stack() { return arena_.reserve(kStackSize) + kStackSize; }

  std::uint32_t next_id() { return ids_++; }

  void fork(ProgramWriter& program, pid_t tid, std::uint64_t child, std::uint64_t flags,
            int exit_signal) {
    clone_args args{};
    args.flags = flags;
    args.exit_signal = static_cast<__u64>(exit_signal);
    args.stack = arena_.reserve(kStackSize);
    args.stack_size = kStackSize;
    args.set_tid = arena_.put_value(tid);
    args.set_tid_size = 1;
    program.about("forking " + std::to_string(tid));
    program.call(kFork, {arena_.put_value(args), child});
  }

  void fork_planned(ProgramWriter& program, const std::vector<std::size_t>& children) {
    for (std::size_t child : children) {
      const PlannedFork& planned = planned_forks_[child];
      bool is_member = planned.kind == PlannedFork::Kind::kMember;
      // Helpers end without a signal to their parent.
      fork(program, planned.pid, write_planned(child), 0,
           is_member ? tree_.processes[planned.member].exit_signal : 0);
      if (planned.kind == PlannedFork::Kind::kBridge)
        program.call(SYS_wait4, {planned.pid, 0, __WALL, 0});
    }
  }

  std::uint64_t write_planned(std::size_t index) {
    const PlannedFork planned = planned_forks_[index];
    ProgramWriter program(arena_, all_.subjects);
    if (index == 0) begin_tree(program);
    fork_planned(program, planned.early);
    if (planned.leads_session()) {
      program.about("beginning session " + std::to_string(planned.session));
      program.call(SYS_setsid, {});
      if (planned.terminal >= 0) take_terminal(program, terminal_of(tree_, planned.terminal));
    }
    fork_planned(program, planned.late);
    if (planned.kind == PlannedFork::Kind::kBridge) {
      program.call(SYS_exit_group, {0});
      return program.finish(next_id(), all_.failure);
    }
    join(program, planned);
    if (planned.kind == PlannedFork::Kind::kStandIn) {
      program.call(kAwait, {joined_, waiting_});
      program.call(SYS_exit_group, {0});
      return program.finish(next_id(), all_.failure);
    }
    settle(program, planned);
    const ProcessImage& process = tree_.processes[planned.member];
    if (process.life == Life::kEnded) {
      end(program, process);
    } else {
      become(program, process);
    }
    return program.finish(next_id(), all_.failure);
  }

  // Sets up what all other processes inherit.
  void begin_tree(ProgramWriter& program) {
    const FdLocations& locations = all_.locations;
    program.about("signals of the engine");
    SignalAction usual;
    program.call(SYS_rt_sigaction, {SIGPIPE, arena_.put_value(usual), 0, 8});
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    program.about("room for descriptors");
    program.call(SYS_prlimit64, {0, RLIMIT_NOFILE, arena_.put_value(limit), 0});
    program.about("the pid counter");  // forks with chosen pids leave it alone
    std::string last = std::to_string(gifts_.last_pid);
    program.call(SYS_write, {gifts_.pid_counter, arena_.put_text(last), last.size()});
    program.about("the pages files");
    int location = locations.pages;
    for (int pages : gifts_.pages) program.call(SYS_dup3, {pages, location++, O_CLOEXEC});
    program.call(SYS_close_range, {0, locations.pages - 1, 0});
    program.call(SYS_close_range, {location, ~0U, 0});
    // All others are forked from this process: the less memory it has, the faster the forks.
    remove_memory(program, memory_locations());
    make_terminal(program, tree_.terminal, locations);
    open_files(program, tree_, locations, root_, all_.failure);
    open_mapped_files(program, tree_, locations);
  }

  // All sessions and groups exist once all processes are forked; only then can a process join.
  void join(ProgramWriter& program, const PlannedFork& planned) {
    program.about("process group " + std::to_string(planned.group));
    if (planned.group == planned.pid && !planned.leads_session()) program.call(SYS_setpgid, {0, 0});
    program.call(kAdd, {born_});
    program.call(kAwait, {born_, waiting_});
    if (planned.group != planned.pid) program.call(SYS_setpgid, {0, planned.group});
    program.call(kAdd, {joined_});
  }

  void settle(ProgramWriter& program, const PlannedFork& planned) {
    bool has_helpers = false;
    for (std::size_t child : planned.late) {
      if (planned_forks_[child].kind != PlannedFork::Kind::kStandIn) continue;
      program.about("waiting for a stand-in");
      program.call(SYS_wait4, {planned_forks_[child].pid, 0, __WALL, 0});
      has_helpers = true;
    }
    if (!planned.leads_session() || planned.terminal < 0) return;
    if (!has_helpers) program.call(kAwait, {joined_, waiting_});
    set_foreground(program, terminal_of(tree_, planned.terminal));
  }

  void end(ProgramWriter& program, const ProcessImage& process) {
    const ThreadImage& only = process.threads[0];
    rlimit none{};
    program.about("an ended process");
    program.call(SYS_prlimit64, {0, RLIMIT_CORE, arena_.put_value(none), 0});
    program.call(SYS_prctl, {15 /* PR_SET_NAME */, arena_.put_text(only.name)});
    program.call(SYS_setpriority, {PRIO_PROCESS, 0, only.nice});
    bring_back_credentials(program, only.credentials);
    int status = process.exit_status;
    if (WIFSIGNALED(status)) {
      std::uint64_t nothing_blocked = arena_.put_value(std::uint64_t{0});
      program.call(SYS_kill, {process.pid, WTERMSIG(status)});
      program.call(SYS_rt_sigprocmask, {SIG_SETMASK, nothing_blocked, 0, 8});
    }
    program.call(SYS_exit_group, {WEXITSTATUS(status)});
  }

  void await_ended_children(ProgramWriter& program, const ProcessImage& process) {
    bool any = false;
    for (const ProcessImage& child : tree_.processes) {
      if (child.parent != process.pid || child.life != Life::kEnded) continue;
      program.about("waiting for an ended child");
      program.call(SYS_waitid,
                   {P_PID, child.pid, arena_.reserve(sizeof(siginfo_t)), WEXITED | WNOWAIT, 0});
      any = true;
    }
    if (any) forget_child_signals(program);
  }

  void become(ProgramWriter& program, const ProcessImage& process) {
    program.about("working directory " + process.cwd);
    if (process.cwd_inode == kNone) {
      program.call(SYS_chdir, {arena_.put_text(process.cwd)});
    } else {
      program.call(SYS_fchdir, {held_inode(all_.locations, process.cwd_inode)});
    }
    bring_back_standing(program, process);
    bring_back_memory(program, process, tree_, memory_locations());
    take_descriptors(program, process, tree_, all_.locations);
    if (gifts_.lazy && !lazy_mappings(process).empty()) offer_user_fault(program, all_.locations);
    fill_epoll_sets(program, process, tree_);
    bring_back_owners(program, process, tree_);
    add_watches(program, process, tree_);
    bring_back_locks(program, process, tree_);
    bring_back_limits(program, process);
    await_ended_children(program, process);
    std::uint64_t settled = arena_.put_value(0U);
    for (std::size_t i = 1; i < process.threads.size(); ++i)
      fork(program, process.threads[i].tid, write_thread(process, process.threads[i], settled),
           kThreadFlags, 0);
    bring_back_actions(program, process);
    bring_back_pending(program, process);
    bring_back_timers(program, process);
    bring_back_posix_timers(program, process);
    bring_back_thread(program, process, process.threads[0]);
    // Wait for the threads: every change of credentials resets attributes of the whole process.
    program.call(kAwait, {settled, process.threads.size() - 1});
    bring_back_traits(program, process);
    program.call(kPark, {all_.parked, door_});
    ++all_.threads;
  }

  std::uint64_t write_thread(const ProcessImage& process, const ThreadImage& thread,
                             std::uint64_t settled) {
    ProgramWriter program(arena_, all_.subjects);
    bring_back_thread(program, process, thread);
    program.call(kAdd, {settled});
    program.call(kPark, {all_.parked, door_});
    ++all_.threads;
    return program.finish(next_id(), all_.failure);
  }

  SharedArena& shared_;
  Arena& arena_;
  const TreeImage& tree_;
  const RestoreInputs& gifts_;
  const AsyncRoot& root_;
  TreePrograms all_;
  std::vector<PlannedFork> planned_forks_;
  std::uint64_t born_ = 0;
  std::uint64_t joined_ = 0;
  std::uint64_t door_ = 0;
  unsigned waiting_ = 0;
  std::uint32_t ids_ = 0;
};

}  // namespace

Result<TreePrograms> write_programs(SharedArena& shared, const TreeImage& tree,
                                    const RestoreInputs& gifts, const AsyncRoot& root) {
  return RestoreProgramWriter(shared, tree, gifts, root).write();
}

}  // namespace sf::waypoint::native
