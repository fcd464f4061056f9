#include "engine/native/restore.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <map>
#include <thread>

#include "base/scope_exit.h"
#include "engine/native/files/controlling_terminal.h"
#include "engine/native/files/inotify.h"
#include "engine/native/files/pty_data.h"
#include "engine/native/ipc/sysv_ipc.h"
#include "engine/native/memory/memory.h"
#include "engine/native/memory/pages_file.h"
#include "engine/native/process/seccomp.h"
#include "engine/native/process/stopped_jobs.h"
#include "engine/native/program/restore_program.h"
#include "engine/native/program/shared_arena.h"
#include "engine/native/ptrace/remote_fd.h"
#include "engine/native/ptrace/tracee.h"
#include "engine/pid_counter.h"
#include "os/error.h"
#include "os/file.h"
#include "os/process.h"
#include "shell/init/init_launcher.h"

namespace sf::waypoint::native {
namespace {

constexpr auto kRestoreTime = std::chrono::minutes(10);
constexpr auto kLookTime = std::chrono::milliseconds(5);
constexpr auto kStopTime = std::chrono::seconds(5);

// Runs in the new init, on memory of the engine.
[[noreturn]] void start_programs(void* what) {
  const auto* programs = static_cast<const TreePrograms*>(what);
  asm volatile(
      "mov %[stack], %%rsp\n\t"
      "xor %%ebp, %%ebp\n\t"
      "call *%[entry]\n\t"
      "hlt"
      :
      : [stack] "r"(programs->stack), [entry] "r"(programs->entry), "D"(programs->first)
      : "memory");
  __builtin_unreachable();
}

// The stopped threads of a restored tree. resume() detaches them. If the tree was not resumed, the
// destructor kills it before it detaches them.
class HeldThreads : public HeldTree {
 public:
  explicit HeldThreads(pid_t init) : init_(init) {}
  HeldThreads(const HeldThreads&) = delete;
  HeldThreads& operator=(const HeldThreads&) = delete;
  ~HeldThreads() override {
    // A dying init waits for all other processes, and traced processes wait for their tracer.
    if (!gone_on_) (void)os::signal_process(init_, SIGKILL);
    // Leaders last: the end of a killed leader is not reported before its threads have ended.
    while (!threads_.empty()) threads_.pop_back();
  }

  std::vector<Tracee>& threads() { return threads_; }
  Status resume_these() {
    for (; !threads_.empty(); threads_.pop_back()) SF_TRY(threads_.back().resume());
    return Ok{};
  }
  Status resume() override {
    SF_TRY(resume_these());
    gone_on_ = true;
    return Ok{};
  }

 private:
  pid_t init_;  // a child of this process, and not waited for while this object lives
  std::vector<Tracee> threads_;
  bool gone_on_ = false;
};

class Restore {
 public:
  Restore(const TreeImage& tree, const RestoreRequest& request, const AsyncRoot& root,
          CgroupForker& cgroup_forker, MemoryWatches& watches)
      : tree_(tree),
        request_(request),
        root_(root),
        cgroup_forker_(cgroup_forker),
        watches_(watches) {}

  Result<RestoredTree> run() {
    std::vector<int> pages;
    for (std::uint32_t i = 0; i < tree_.pages_files; ++i) {
      SF_TRY_ASSIGN(auto file, PagesFile::open(pages_path(request_.image_dir, i)));
      pages.push_back(file->fd());
      pages_.push_back(std::move(file));
    }
    lazy_ = can_serve_faults();
    SF_TRY_ASSIGN(os::UniqueFd counter, open_pid_counter());
    SF_TRY_ASSIGN(SharedArena shared, SharedArena::map(tree_));
    SF_TRY_ASSIGN(
        TreePrograms programs,
        write_programs(shared, tree_, {pages, counter.get(), request_.last_pid, lazy_}, root_));
    SF_TRY(root_.made());
    SF_TRY(reached(request_.at_point, "restore.native_planned"));
    SF_TRY_ASSIGN(MadeIpc ipc, MadeIpc::make(tree_.ipc, pages[0]));
    RestoredTree restored;
    SF_TRY_ASSIGN(restored.init, launch_init({.root_view = request_.root_view,
                                              .cgroup_forker = &cgroup_forker_,
                                              .instead = start_programs,
                                              .what = &programs}));
    auto held = std::make_unique<HeldThreads>(restored.init.pid());
    held_ = held.get();
    restored.held = std::move(held);
    SF_TRY(reached(request_.at_point, "restore.native_born"));
    SF_TRY(wait_until_parked(shared, programs, restored.init.pidfd()));
    SF_TRY(ipc.finish());
    SF_TRY(reached(request_.at_point, "restore.native_made"));
    SF_TRY_ASSIGN(restored.terminal, descriptor_of(restored.init.pid(), programs.locations.master));
    SF_TRY(take_over(shared, restored.init.pid(), programs.locations));
    SF_TRY(bring_back_exclusive(restored.terminal.get(), tree_.terminal));
    SF_TRY(reached(request_.at_point, "restore.native_taken"));
    ipc.keep();
    return restored;
  }

 private:
  Error explain(SharedArena& shared, const TreePrograms& programs) const {
    Failure failure = *shared.arena().at<Failure>(programs.failure);
    std::string subject = failure.subject == 0 || failure.subject > programs.subjects.size()
                              ? "system call " + std::to_string(failure.number)
                              : programs.subjects[failure.subject - 1];
    return os::os_error(static_cast<int>(-failure.result), "in a new process: " + subject);
  }

  Status wait_until_parked(SharedArena& shared, const TreePrograms& programs, int init) const {
    auto* word = shared.arena().at<std::uint32_t>(programs.parked);
    auto* failed = &shared.arena().at<Failure>(programs.failure)->happened;
    Deadline deadline = Deadline::after(kRestoreTime);
    for (;;) {
      std::uint32_t now = __atomic_load_n(word, __ATOMIC_SEQ_CST);
      if (now >= programs.threads) return Ok{};
      if (__atomic_load_n(failed, __ATOMIC_SEQ_CST) == 2) return explain(shared, programs);
      pollfd ended{init, POLLIN, 0};
      if (::poll(&ended, 1, 0) > 0) {
        if (__atomic_load_n(failed, __ATOMIC_SEQ_CST) == 2) return explain(shared, programs);
        return fail(ErrorCode::kOs, "the new init ended during the restore");
      }
      if (deadline.passed())
        return fail(ErrorCode::kTimedOut, "the restore exceeded its time limit");
      timespec pause{0, std::chrono::nanoseconds(kLookTime).count()};
      ::syscall(SYS_futex, word, FUTEX_WAIT, now, &pause, nullptr, 0);
    }
  }

  // The engine's tids of all threads, by tid in the branch.
  Result<std::map<pid_t, pid_t>> find_threads(pid_t init) const {
    std::map<pid_t, pid_t> found;
    for (pid_t pid : os::process_tree(init)) {
      auto inner = os::namespace_pid(pid);
      if (!inner) return fail(ErrorCode::kOs, "a new process is gone");
      found[*inner] = pid;
      auto process = std::ranges::find(tree_.processes, *inner, &ProcessImage::pid);
      if (process == tree_.processes.end() || process->threads.size() < 2) continue;
      SF_TRY_ASSIGN(auto names, os::list_directory("/proc/" + std::to_string(pid) + "/task"));
      for (const std::string& name : names) {
        pid_t tid = std::atoi(name.c_str());
        if (auto number = os::namespace_pid(tid)) found[*number] = tid;
      }
    }
    return found;
  }

  Status take_over(SharedArena& shared, pid_t init, const FdLocations& locations) {
    SF_TRY_ASSIGN(auto numbers, find_threads(init));
    std::uint64_t scratch = shared.arena().reserve(256);
    // Stopped jobs first: their parents must have noticed the stop before they resume.
    for (Life life : {Life::kStopped, Life::kRunning}) {
      for (const ProcessImage& process : tree_.processes) {
        if (process.life != life) continue;
        SF_TRY(take_over_process(shared, process, numbers, locations, scratch));
        if (process.pid == 1) SF_TRY(reached(request_.at_point, "restore.native_taking"));
        if (life == Life::kStopped) SF_TRY(stop_again());
      }
    }
    SF_TRY(bring_back_pty_data(tree_, numbers));
    return forget_own_events(tree_, numbers);
  }

  Status take_over_process(SharedArena& shared, const ProcessImage& process,
                           const std::map<pid_t, pid_t>& numbers, const FdLocations& locations,
                           std::uint64_t scratch) {
    std::vector<Tracee>& threads = held_->threads();
    std::size_t first = threads.size();
    for (const ThreadImage& thread : process.threads) {
      auto found = numbers.find(thread.tid);
      if (found == numbers.end()) return fail(ErrorCode::kOs, "a new thread is gone");
      SF_TRY_ASSIGN(Tracee tracee, Tracee::seize(found->second));
      threads.push_back(std::move(tracee));
    }
    for (std::size_t i = first; i < threads.size(); ++i)
      SF_TRY(threads[i].wait_stopped(Deadline::after(kStopTime)));
    auto vdso = std::ranges::find_if(process.mappings, [](const Mapping& m) {
      return m.kind == MappingKind::kKernel && (m.protection & PROT_EXEC) != 0;
    });
    auto instruction = syscall_in_vdso();
    if (vdso == process.mappings.end() || !instruction)
      return fail(ErrorCode::kCorrupt, "the image has no vDSO with a system call in it");
    Tracee& leader = threads[first];
    if (process.threads.size() > 1) leader.leads_others();
    std::uint64_t location = vdso->start + *instruction;
    for (std::size_t i = 0; i < process.threads.size(); ++i)
      SF_TRY(install_filters(threads[first + i], location, process.threads[i].filters,
                             shared.arena()));
    SF_TRY(take_notice(leader, location, process, tree_, scratch));
    if (process.pid == 1)
      SF_TRY(leader.call(location, SYS_close, {static_cast<unsigned>(locations.master)}));
    if (lazy_) SF_TRY(serve_memory(leader, location, process, locations.pages));
    SF_TRY_ASSIGN(long unmapped,
                  leader.call(location, SYS_munmap, {shared.start(), shared.size()}));
    if (unmapped != 0) return os::os_error(static_cast<int>(-unmapped), "unmapping the program");
    for (std::size_t i = 0; i < process.threads.size(); ++i) {
      const ThreadImage& thread = process.threads[i];
      SF_TRY(threads[first + i].become(thread.registers, thread.extended, thread.blocked));
      SF_TRY(threads[first + i].die_with_tracer());
    }
    return Ok{};
  }

  // Serves the process's large memory on demand.
  Status serve_memory(Tracee& leader, std::uint64_t syscall_location, const ProcessImage& process,
                      int number) {
    std::vector<PageRange> mappings = lazy_mappings(process);
    if (mappings.empty()) return Ok{};
    SF_TRY_ASSIGN(os::UniqueFd fd, descriptor_of(leader.tid(), number));
    SF_TRY_ASSIGN(UserFault fault, UserFault::begin(std::move(fd), UserFault::Purpose::kServe));
    Backing backing;
    for (const Extent& extent : process.pages)
      backing.put({extent.at, extent.at + extent.size, pages_.at(extent.file), extent.offset});
    WatchedMemory memory{std::move(fault), UserFault::Purpose::kServe, {}};
    auto keep = [&](const PageRange& mapping) {
      for (Piece& piece : backing.within(mapping)) memory.backing.put(std::move(piece));
    };
    for (const PageRange& mapping : mappings) {
      SF_TRY(memory.fault.watch(mapping, UserFault::Purpose::kServe));
      keep(mapping);
    }
    // The other large mappings are watched too: at the next capture, this image still holds their
    // unchanged pages.
    SF_TRY_ASSIGN(PageMap map, PageMap::open(leader.tid()));
    for (const PageRange& mapping : watched_mappings(process)) {
      SF_TRY(memory.fault.watch(mapping, UserFault::Purpose::kWatch));
      SF_TRY(map.protect(mapping));
      keep(mapping);
    }
    SF_TRY(leader.call(syscall_location, SYS_close, {static_cast<unsigned>(number)}));
    auto key = os::process_key(leader.tid());
    if (!key) return fail(ErrorCode::kOs, "a new process is gone");
    for (const auto& file : pages_) file->keep_in(watches_.directory());
    return watches_.add({key->pid, key->start_time}, std::move(memory));
  }

  // Stops the process that was taken over last, before its first instruction.
  Status stop_again() {
    pid_t pid = held_->threads().front().tid();
    if (Status sent = os::signal_process(pid, SIGSTOP); !sent)
      return std::move(sent).error().while_doing("stopping a stopped job");
    SF_TRY(held_->resume_these());
    Deadline deadline = Deadline::after(kStopTime);
    while (os::process_state(pid) != 'T') {
      if (deadline.passed()) return fail(ErrorCode::kTimedOut, "a stopped job does not stop");
      std::this_thread::sleep_for(microseconds(20));
    }
    return Ok{};
  }

  const TreeImage& tree_;
  const RestoreRequest& request_;
  const AsyncRoot& root_;
  CgroupForker& cgroup_forker_;
  MemoryWatches& watches_;
  std::vector<std::shared_ptr<const PagesFile>> pages_;
  bool lazy_ = false;
  HeldThreads* held_ = nullptr;  // of the new tree
};

}  // namespace

Result<RestoredTree> restore_tree(const TreeImage& tree, const RestoreRequest& request,
                                  const AsyncRoot& root, CgroupForker& cgroup_forker,
                                  MemoryWatches& watches) {
  return Restore(tree, request, root, cgroup_forker, watches).run();
}

}  // namespace sf::waypoint::native
