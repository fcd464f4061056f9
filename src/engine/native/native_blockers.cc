#include "engine/native/native_blockers.h"

#include <sys/socket.h>

#include <algorithm>
#include <csignal>
#include <string_view>

#include "engine/native/classify.h"
#include "engine/native/process/fork_order.h"
#include "engine/native/process/posix_timers.h"
#include "engine/native/process/seccomp.h"

namespace sf::waypoint::native {
namespace {

constexpr std::string_view kAdvice = "use the criu engine (`auto` does), or end that process";

// The mounts that the launcher of a branch's init makes. Any other mount would be lost.
bool is_usual_mount(const MountFacts& mount) {
  constexpr std::pair<std::string_view, std::string_view> kUsual[] = {
      {"/", "overlay"},       {"/proc", "proc"},     {"/sys", "sysfs"},
      {"/dev/pts", "devpts"}, {"/proc/sys", "proc"}, {"/proc/sysrq-trigger", "proc"},
      {"/proc/irq", "proc"},  {"/proc/bus", "proc"},
  };
  return std::ranges::any_of(kUsual, [&](const auto& usual) {
    return usual.first == mount.location && usual.second == mount.type;
  });
}

class Search {
 public:
  explicit Search(const TreeFacts& tree) : tree_(tree) {}

  std::vector<Blocker> run() {
    look_at_tree();
    for (const ProcessFacts& process : tree_.processes) {
      process_ = &process;
      if (process.ended()) {
        look_at_ended();
        continue;
      }
      look_at_process();
      for (const ThreadFacts& thread : process.threads) look_at_thread(thread);
      for (const MappingText& mapping : process.mappings) look_at_mapping(mapping);
      for (const DescriptorFacts& fd : process.descriptors) {
        DescriptorVerdict verdict = classify(fd);
        if (verdict.kind == DescriptorKind::kRefused) add(verdict.what, verdict.why);
        bool is_local = fd.socket.family == AF_UNIX && !is_abstract(fd.socket.local.name);
        if (verdict.kind == DescriptorKind::kSocket && tree_.host_network && !is_local)
          add("descriptor " + std::to_string(fd.number) + " (" + fd.link + ")",
              "its address is on the host's network, where the old branch still uses it");
      }
    }
    look_at_fork_order();
    return std::move(found_);
  }

 private:
  void add(std::string what, std::string why) {
    found_.push_back({process_->inner_pid(), process_->stat().name, std::move(what), std::move(why),
                      std::string(kAdvice)});
  }

  void look_at_tree() {
    process_ = &tree_.processes.front();
    std::vector<std::string> seen;
    for (const MountFacts& mount : tree_.mounts) {
      bool again = std::ranges::find(seen, mount.location) != seen.end();
      if (!is_usual_mount(mount) || again)
        add("mount " + mount.location + " (" + mount.type + ")", "it was mounted in the branch");
      seen.push_back(mount.location);
    }
    for (const PosixQueueFacts& queue : tree_.ipc.posix_queues)
      if (queue.has_listener)
        add("message queue /" + queue.name, "a process is registered for mq_notify()");
    for (std::size_t i = 0; i < kNamespaces.size(); ++i) {
      std::string_view kind = kNamespaces[i];
      bool own = kind == "pid" || kind == "mnt" || kind == "cgroup";
      if (!own && process_->namespaces[i] != tree_.own_namespaces[i])
        add(std::string(kind) + " namespace", "it is not the branch's own");
    }
  }

  void look_at_ended() {
    if (process_->threads.size() > 1)
      add("threads that outlive their leader", "such a process cannot be recreated");
    if ((process_->stat().exit_status & 0x80) != 0)
      add("core dump", "an ended process that dumped core cannot be recreated");
  }

  void look_at_process() {
    const ProcessFacts& p = *process_;
    const ProcessFacts& init = tree_.processes.front();
    for (std::size_t i = 0; i < kNamespaces.size(); ++i) {
      if (p.namespaces[i] != init.namespaces[i])
        add("its own " + std::string(kNamespaces[i]) + " namespace",
            "nested namespaces cannot be captured");
    }
    if (!p.terminal_inside) add("controlling terminal", "its master is not in the branch");
    if (p.shares_with_parent)
      add("memory, descriptors or directories shared with its parent",
          "the native engine supports such sharing only between threads");
    if (p.may_undo)
      add("System V semaphores (SEM_UNDO)",
          "it uses them, or has had threads; the kernel does not show the adjustments");
    if (p.root != "/") add("root directory " + p.root, "its root directory was changed");
    if (!p.cwd_has_location) add(p.cwd, "it was removed, and its path cannot be recreated");
    std::string exe_trouble = lost_name_trouble(p.exe_lost);
    if (!exe_trouble.empty()) add(p.exe, exe_trouble);
    if (!p.timers.empty() && !(tree_.timer_ids && parse_timers(p.timers)))
      add("POSIX timers", "they cannot be recreated with their ids");
    if (p.oom_score_adj < tree_.own_oom_score_adj)
      add("oom_score_adj", "it is lower than the engine's own, so it cannot be restored");
    bool has_vdso =
        std::ranges::any_of(p.mappings, [](const MappingText& m) { return m.name == "[vdso]"; });
    if (!has_vdso) add("memory without a vDSO", "the engine cannot make system calls in it");
    if (p.stat().exit_signal != SIGCHLD && p.inner_pid() != 1)
      add("exit signal " + std::to_string(p.stat().exit_signal), "only SIGCHLD is supported");
  }

  void look_at_thread(const ThreadFacts& thread) {
    std::string which = thread.tid == process_->pid
                            ? std::string()
                            : " of thread " + std::to_string(thread.status.pids.back());
    std::string filters = seccomp_trouble(thread.status);
    if (!filters.empty()) add("seccomp" + which, filters);
    if (thread.stat.policy != 0)
      add("scheduling policy " + std::to_string(thread.stat.policy) + which,
          "the native engine supports only SCHED_OTHER");
    if (!thread.status.thread_features.empty())
      add("thread features " + thread.status.thread_features + which,
          "shadow stacks cannot be restored");
    constexpr std::uint64_t kTrapBit = 1ULL << (SIGTRAP - 1);
    const StatusText& status = thread.status;
    if (((status.ignored | status.pending | status.shared_pending) & kTrapBit) != 0)
      add("SIGTRAP" + which, "it is ignored or pending, and the capture would change that");
    if (thread.stat.state == 'Z') add("an ended thread", "it cannot be recreated");
  }

  void look_at_mapping(const MappingText& mapping) {
    MappingVerdict verdict = classify(mapping);
    if (!verdict.refused && verdict.kind == MappingKind::kSysv) {
      verdict.why = attachment_trouble(tree_.ipc, mapping);
      verdict.refused = !verdict.why.empty();
    }
    if (!verdict.refused) return;
    add("mapping " + (mapping.name.empty() ? "without a name" : mapping.name), verdict.why);
  }

  void look_at_fork_order() {
    std::vector<Member> members;
    for (const ProcessFacts& p : tree_.processes) {
      auto parent = std::ranges::find(tree_.processes, p.parent, &ProcessFacts::pid);
      members.push_back({p.inner_pid(), parent == tree_.processes.end() ? 0 : parent->inner_pid(),
                         p.status().groups.back(), p.status().sessions.back(),
                         terminal_number(p.stat().terminal), p.ended()});
    }
    auto plan = plan_forks(members);
    if (plan) return;
    process_ = &tree_.processes.front();
    add("order of forks", plan.error().message);
  }

  const TreeFacts& tree_;
  const ProcessFacts* process_ = nullptr;
  std::vector<Blocker> found_;
};

}  // namespace

std::vector<Blocker> find_blockers(const TreeFacts& tree) { return Search(tree).run(); }

}  // namespace sf::waypoint::native
