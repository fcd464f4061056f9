#include "engine/criu/tree_attributes.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <map>
#include <set>

#include "engine/blocker.h"
#include "os/error.h"
#include "os/file.h"
#include "os/in_root.h"
#include "os/process.h"
#include "wire/message_fields.h"

namespace sf::waypoint::criu {

using wire::Json;

namespace {

constexpr int kOneProcess = 1;              // IOPRIO_WHO_PROCESS, which means one thread
constexpr unsigned kPriorityClass = 13;     // bits below it are the level
constexpr std::size_t kMaxAffinity = 8192;  // bytes: enough for all CPUs that Linux supports
constexpr std::string_view kTerminals = "/dev/pts/";
constexpr int kTerminalFlags = O_RDWR | O_NOCTTY | O_NONBLOCK;
constexpr unsigned kFirstSlaves = 136;  // major device numbers
constexpr unsigned kLastSlaves = 143;

std::string proc(pid_t pid, const std::string& name) {
  return "/proc/" + std::to_string(pid) + "/" + name;
}

int io_priority_of(pid_t tid) {
  const long priority = ::syscall(SYS_ioprio_get, kOneProcess, tid);
  if (priority < 0 || priority >> kPriorityClass == 0) return 0;  // older kernels return a level
  return static_cast<int>(priority);
}

Status set_io_priority(pid_t tid, int priority) {
  if (::syscall(SYS_ioprio_set, kOneProcess, tid, priority) != 0)
    return os::last_error("setting the I/O priority");
  return Ok{};
}

std::string affinity_of(pid_t tid) {
  std::array<unsigned char, kMaxAffinity> mask{};
  const long size = ::syscall(SYS_sched_getaffinity, tid, mask.size(), mask.data());
  std::string digits;
  for (long i = 0; i < size; ++i) {
    constexpr const char* kDigits = "0123456789abcdef";
    digits += kDigits[mask[static_cast<std::size_t>(i)] >> 4U];
    digits += kDigits[mask[static_cast<std::size_t>(i)] & 15U];
  }
  return digits;
}

Status set_affinity(pid_t tid, const std::string& digits) {
  std::string mask;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    mask.push_back(static_cast<char>(std::strtoul(digits.substr(i, 2).c_str(), nullptr, 16)));
  // EINVAL: this host, or the branch's cgroup, has none of these CPUs.
  if (::syscall(SYS_sched_setaffinity, tid, mask.size(), mask.data()) != 0 && errno != EINVAL)
    return os::last_error("setting the CPU affinity");
  return Ok{};
}

std::uint64_t timer_slack_of(pid_t tid) {
  auto text = os::read_file(proc(tid, "timerslack_ns"));
  return text ? std::strtoull(text->c_str(), nullptr, 10) : 0;
}

// Files under /proc take a single write() and must not be created.
Status write_proc(const std::string& path, const std::string& text) {
  SF_TRY_ASSIGN(os::UniqueFd file, os::open_file(path, O_WRONLY));
  return os::write_all(file.get(), text);
}

std::uint32_t core_filter_of(pid_t pid) {
  auto text = os::read_file(proc(pid, "coredump_filter"));
  return text ? static_cast<std::uint32_t>(std::strtoul(text->c_str(), nullptr, 16)) : 0;
}

bool is_slave(const std::string& path) {
  struct stat file {};
  return ::stat(path.c_str(), &file) == 0 && S_ISCHR(file.st_mode) &&
         major(file.st_rdev) >= kFirstSlaves && major(file.st_rdev) <= kLastSlaves;
}

// Exclusive terminals, if a process of the tree has them open. Other terminals are not opened here,
// since closing them again would hang them up.
std::vector<std::string> exclusive_terminals(const std::vector<os::TreeMember>& tree) {
  std::set<std::string> seen;
  std::vector<std::string> exclusive;
  for (const os::TreeMember& member : tree) {
    auto numbers = os::list_directory(proc(member.pid, "fd"));
    if (!numbers) continue;
    for (const std::string& number : *numbers) {
      const std::string path = proc(member.pid, "fd/" + number);
      auto link = os::read_link(path);
      if (!link || !link->starts_with(kTerminals) || !is_slave(path) || !seen.insert(*link).second)
        continue;
      auto terminal = os::open_file(path, kTerminalFlags);
      int is_exclusive = 0;
      if (terminal && ::ioctl(terminal->get(), TIOCGEXCL, &is_exclusive) == 0 && is_exclusive != 0)
        exclusive.push_back(*link);
    }
  }
  return exclusive;
}

ThreadStanding standing_of(pid_t tid) {
  return {.tid = os::namespace_pid(tid).value_or(0),
          .io_priority = io_priority_of(tid),
          .affinity = affinity_of(tid),
          .timer_slack_ns = timer_slack_of(tid)};
}

// Sets only the values that differ: an unchanged value needs no privilege.
Status apply_to_thread(pid_t tid, const ThreadStanding& now, const ThreadStanding& wanted) {
  if (now.io_priority != wanted.io_priority) SF_TRY(set_io_priority(tid, wanted.io_priority));
  if (now.affinity != wanted.affinity) SF_TRY(set_affinity(tid, wanted.affinity));
  if (wanted.timer_slack_ns != 0 && now.timer_slack_ns != wanted.timer_slack_ns)
    SF_TRY(write_proc(proc(tid, "timerslack_ns"), std::to_string(wanted.timer_slack_ns)));
  return Ok{};
}

Blocker cannot_be_set(pid_t pid, const ThreadStanding& thread, const Error& error) {
  return {.pid = thread.tid,
          .process = os::process_name(pid),
          .what = "its I/O priority, CPU affinity or timer slack",
          .why = "it could not be set again after a restore: " + error.message,
          .advice = "give the daemon CAP_SYS_NICE"};
}

}  // namespace

Result<TreeAttributes> read_tree_attributes(pid_t init) {
  TreeAttributes standing;
  const ThreadStanding usual = standing_of(::getpid());  // what CRIU's processes start with
  const std::vector<os::TreeMember> tree = os::thread_tree(init);
  for (const os::TreeMember& member : tree) {
    if (os::process_state(member.pid) == 'Z') continue;
    ProcessStanding process{.pid = os::namespace_pid(member.pid).value_or(0),
                            .core_filter = core_filter_of(member.pid),
                            .threads = {}};
    for (pid_t tid : member.threads) {
      process.threads.push_back(standing_of(tid));
      const ThreadStanding& thread = process.threads.back();
      ThreadStanding other = usual;
      other.tid = thread.tid;
      if (Status same = apply_to_thread(tid, other, thread); !same)
        return refuse_capture({cannot_be_set(member.pid, thread, same.error())});
    }
    standing.processes.push_back(std::move(process));
  }
  standing.exclusive_terminals = exclusive_terminals(tree);
  return standing;
}

Status apply_tree_attributes(pid_t init, const TreeAttributes& standing) {
  std::map<pid_t, pid_t> ours;  // by pid in the branch
  for (const os::TreeMember& member : os::thread_tree(init)) {
    for (pid_t tid : member.threads) {
      if (auto inside = os::namespace_pid(tid)) ours[*inside] = tid;
    }
  }
  for (const ProcessStanding& process : standing.processes) {
    auto leader = ours.find(process.pid);
    if (leader == ours.end()) continue;
    if (core_filter_of(leader->second) != process.core_filter)
      SF_TRY(
          write_proc(proc(leader->second, "coredump_filter"), std::to_string(process.core_filter)));
    for (const ThreadStanding& thread : process.threads) {
      auto found = ours.find(thread.tid);
      if (found == ours.end()) continue;
      SF_TRY(apply_to_thread(found->second, standing_of(found->second), thread));
    }
  }
  if (standing.exclusive_terminals.empty()) return Ok{};
  SF_TRY_ASSIGN(os::InRoot root, os::InRoot::open(proc(init, "root")));
  for (const std::string& path : standing.exclusive_terminals) {
    SF_TRY_ASSIGN(os::UniqueFd terminal, root.open_file(path, kTerminalFlags));
    if (::ioctl(terminal.get(), TIOCEXCL) != 0) return os::last_error("exclusive mode of " + path);
  }
  return Ok{};
}

template <typename F, wire::Is<ThreadStanding> M>
void describe(F& f, M& m) {
  f.field("tid", m.tid);
  f.field("io_priority", m.io_priority);
  f.field("affinity", m.affinity);
  f.field("timer_slack_ns", m.timer_slack_ns);
}

template <typename F, wire::Is<ProcessStanding> M>
void describe(F& f, M& m) {
  f.field("pid", m.pid);
  f.field("core_filter", m.core_filter);
  f.list("threads", m.threads);
}

template <typename F, wire::Is<TreeAttributes> M>
void describe(F& f, M& m) {
  f.list("processes", m.processes);
  f.field("exclusive_terminals", m.exclusive_terminals);
}

Json to_json(const TreeAttributes& standing) {
  Json json = wire::write_message(standing).header;
  json["version"] = 1;
  return json;
}

Result<TreeAttributes> tree_attributes_from_json(const Json& json) {
  if (!json.is_object() || json.value("version", Json()) != 1)
    return fail(ErrorCode::kCorrupt, "standing.json: unknown version");
  SF_TRY_ASSIGN(TreeAttributes standing,
                wire::read_message<TreeAttributes>({json, {}}, "standing.json"));
  for (const std::string& path : standing.exclusive_terminals) {
    if (!path.starts_with(kTerminals))
      return fail(ErrorCode::kCorrupt, "standing.json: not a terminal");
  }
  return standing;
}

}  // namespace sf::waypoint::criu
