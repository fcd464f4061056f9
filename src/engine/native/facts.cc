#include "engine/native/facts.h"

#include <fcntl.h>
#include <linux/kcmp.h>
#include <sys/socket.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <future>
#include <iterator>
#include <span>

#include "base/split.h"
#include "engine/native/ptrace/remote_fd.h"
#include "engine/native/sockets/datagrams.h"
#include "os/error.h"
#include "os/file.h"
#include "os/process.h"

namespace sf::waypoint::native {
namespace {

constexpr std::size_t kMaxText = 256U << 20U;
constexpr std::size_t kMany = 4;  // processes; starting a thread takes as long as reading one

std::string proc_path(pid_t pid) { return "/proc/" + std::to_string(pid); }

Error odd(const std::string& path) {
  return fail(ErrorCode::kOs, path + " has an unexpected format");
}

Result<std::string> read_text(const std::string& path) { return os::read_file(path, kMaxText); }

// Reads a file that the kernel returns in one piece: no second read has to find the end.
Result<std::string> read_piece(const std::string& path) {
  SF_TRY_ASSIGN(os::UniqueFd fd, os::open_file(path, O_RDONLY));
  char buffer[8192];
  ssize_t n = ::read(fd.get(), buffer, sizeof buffer);
  if (n < 0) return os::last_error("reading " + path);
  if (n == static_cast<ssize_t>(sizeof buffer)) return read_text(path);
  return std::string(buffer, static_cast<std::size_t>(n));
}

bool shared(pid_t one, pid_t other, int what) {
  return ::syscall(SYS_kcmp, one, other, what, 0, 0) == 0;
}

// True if the directory has a name, or if its nearest existing parent is a directory.
bool has_location(const std::string& proc, const std::string& path) {
  if (!is_deleted(path)) return true;
  std::string name = without_mark(path);
  struct stat info {};
  do {
    name.resize(name.rfind('/'));
  } while (!name.empty() && ::lstat((proc + "/root" + name).c_str(), &info) != 0);
  return name.empty() || S_ISDIR(info.st_mode);
}

Status read_descriptors(pid_t pid, std::vector<DescriptorFacts>& all) {
  std::string proc = proc_path(pid);
  SF_TRY_ASSIGN(std::vector<std::string> numbers, os::list_directory(proc + "/fd"));
  for (const std::string& number : numbers) {
    DescriptorFacts fd;
    fd.number = std::atoi(number.c_str());
    std::string path = proc + "/fd/" + number;
    SF_TRY_ASSIGN(fd.link, os::read_link(path));
    struct statfs system {};
    if (::stat(path.c_str(), &fd.file) != 0 || ::statfs(path.c_str(), &system) != 0)
      return os::last_error("reading " + path);
    fd.file_system = static_cast<std::uint64_t>(system.f_type);
    SF_TRY_ASSIGN(std::string text, read_piece(proc + "/fdinfo/" + number));
    auto info = parse_fdinfo(text);
    if (!info) return odd(proc + "/fdinfo/" + number);
    fd.info = *info;
    if (S_ISDIR(fd.file.st_mode)) fd.has_location = has_location(proc, fd.link);
    bool is_socket = S_ISSOCK(fd.file.st_mode) && fd.link.starts_with("socket:");
    bool is_inotify = fd.link == "anon_inode:inotify";
    if (is_socket || is_pty(fd) || is_inotify ||
        (fd.info.flags & static_cast<unsigned>(O_ASYNC)) != 0) {
      SF_TRY_ASSIGN(os::UniqueFd copy, descriptor_of(pid, fd.number));
      fd.owner = read_owner(copy.get());
      if (is_pty(fd)) fd.pty = read_pty(fd, copy.get());
      if (is_inotify) fd.inotify = read_inotify(fd.info.text, copy.get());
      if (is_socket) {
        SF_TRY_ASSIGN(fd.socket, read_socket_facts(pid, copy.get()));
      }
      fd.socket.local.descriptors = descriptors_in_queue(fd.info.text);
    }
    all.push_back(std::move(fd));
  }
  std::ranges::sort(all, {}, &DescriptorFacts::number);
  return Ok{};
}

Status read_thread(const std::string& task, ThreadFacts& thread) {
  SF_TRY_ASSIGN(std::string stat_text, read_piece(task + "/stat"));
  auto stat = parse_stat(stat_text);
  if (!stat) return odd(task + "/stat");
  thread.stat = std::move(*stat);
  SF_TRY_ASSIGN(std::string status_text, read_piece(task + "/status"));
  auto status = parse_status(status_text);
  if (!status) return odd(task + "/status");
  thread.status = std::move(*status);
  return Ok{};
}

Status read_threads(ProcessFacts& process, const std::string& proc) {
  ThreadFacts& leader = process.threads.emplace_back();
  leader.tid = process.pid;
  SF_TRY(read_thread(proc, leader));
  if (leader.stat.threads < 2) return Ok{};
  SF_TRY_ASSIGN(std::vector<std::string> names, os::list_directory(proc + "/task"));
  std::vector<pid_t> tids;
  for (const std::string& name : names) tids.push_back(std::atoi(name.c_str()));
  std::ranges::sort(tids);
  for (pid_t tid : tids) {
    if (tid == process.pid) continue;
    ThreadFacts& thread = process.threads.emplace_back();
    thread.tid = tid;
    SF_TRY(read_thread(proc + "/task/" + std::to_string(tid), thread));
  }
  return Ok{};
}

// Reads the attributes that other processes can change while this one is idle.
Status read_standing(ProcessFacts& process, const std::string& proc) {
  SF_TRY_ASSIGN(std::string score, read_piece(proc + "/oom_score_adj"));
  process.oom_score_adj = std::atoi(score.c_str());
  SF_TRY_ASSIGN(std::string filter, read_piece(proc + "/coredump_filter"));
  process.core_filter = static_cast<std::uint32_t>(std::strtoul(filter.c_str(), nullptr, 16));
  return Ok{};
}

Result<ProcessFacts> read_again(const ProcessFacts& known) {
  ProcessFacts process = known;
  process.threads.clear();
  const std::string proc = proc_path(process.pid);
  SF_TRY(read_threads(process, proc));
  SF_TRY(read_standing(process, proc));
  return process;
}

// If there are many processes, another thread reads half: reading takes longer than anything else.
Result<std::vector<ProcessFacts>> read_processes(std::span<const pid_t> pids,
                                                 const ProcessFacts* init) {
  auto read = [init](std::span<const pid_t> some) -> Result<std::vector<ProcessFacts>> {
    std::vector<ProcessFacts> all;
    for (pid_t pid : some) {
      bool known = init != nullptr && init->pid == pid;
      SF_TRY_ASSIGN(ProcessFacts process, known ? read_again(*init) : read_process(pid));
      all.push_back(std::move(process));
    }
    return all;
  };
  if (pids.size() < kMany) return read(pids);
  std::size_t half = pids.size() / 2;
  auto others = std::async(std::launch::async | std::launch::deferred, read, pids.subspan(half));
  SF_TRY_ASSIGN(std::vector<ProcessFacts> all, read(pids.first(half)));
  SF_TRY_ASSIGN(std::vector<ProcessFacts> rest, others.get());
  std::ranges::move(rest, std::back_inserter(all));
  return all;
}

Status look_at_unix_sockets(std::vector<ProcessFacts>& processes) {
  std::vector<UnixFacts*> all;
  for (ProcessFacts& process : processes)
    for (DescriptorFacts& fd : process.descriptors)
      if (fd.socket.family == AF_UNIX) all.push_back(&fd.socket.local);
  if (all.empty()) return Ok{};
  SF_TRY_ASSIGN(std::vector<UnixListing> listing, list_unix_sockets());
  tie_unix_sockets(all, listing);
  return Ok{};
}

void look_at_connections(std::vector<ProcessFacts>& processes) {
  std::vector<SocketFacts*> all;
  for (ProcessFacts& process : processes)
    for (DescriptorFacts& fd : process.descriptors)
      if (fd.socket.tcp_state != 0) {
        fd.socket.inode = fd.file.st_ino;
        all.push_back(&fd.socket);
      }
  tie_connections(all);
  tie_waiting(all);
}

}  // namespace

std::vector<MountFacts> parse_mounts(const std::string& mountinfo) {
  std::vector<MountFacts> all;
  for (const std::string& line : split(mountinfo, '\n')) {
    std::vector<std::string> words = split(line, ' ');
    auto dash = std::ranges::find(words, "-");
    if (words.size() < 7 || dash == words.end() || dash + 1 == words.end()) continue;
    all.push_back({words[4], *(dash + 1)});
  }
  return all;
}

NamespaceNumbers namespaces_of(const std::string& proc) {
  NamespaceNumbers inodes{};
  for (std::size_t i = 0; i < kNamespaces.size(); ++i) {
    // "pid:[4026531836]": readlink() returns the inode number without instantiating the inode.
    char link[64];
    ssize_t n = ::readlink((proc + "/ns/" + kNamespaces[i]).c_str(), link, sizeof link - 1);
    if (n <= 0) continue;
    link[n] = 0;
    if (const char* number = std::strchr(link, '['))
      inodes[i] = std::strtoull(number + 1, nullptr, 10);
  }
  return inodes;
}

Result<ProcessFacts> read_process(pid_t pid) {
  ProcessFacts process;
  process.pid = pid;
  std::string proc = proc_path(pid);
  SF_TRY(read_threads(process, proc));
  if (process.ended()) return process;
  process.namespaces = namespaces_of(proc);
  SF_TRY_ASSIGN(std::string maps, read_text(proc + "/smaps"));
  auto mappings = parse_smaps(maps);
  if (!mappings) return odd(proc + "/smaps");
  process.mappings = std::move(*mappings);
  SF_TRY(read_descriptors(pid, process.descriptors));
  SF_TRY_ASSIGN(process.auxv, read_piece(proc + "/auxv"));
  SF_TRY_ASSIGN(process.cwd, os::read_link(proc + "/cwd"));
  process.cwd_has_location = has_location(proc, process.cwd);
  SF_TRY_ASSIGN(process.root, os::read_link(proc + "/root"));
  SF_TRY_ASSIGN(process.exe, os::read_link(proc + "/exe"));
  if (auto timers = read_text(proc + "/timers")) process.timers = std::move(*timers);
  SF_TRY(read_standing(process, proc));
  return process;
}

void rehearse_reading(pid_t pid) {
  const std::string proc = proc_path(pid);
  ProcessFacts process;
  process.pid = pid;
  (void)read_threads(process, proc);
  (void)read_standing(process, proc);
  (void)namespaces_of(proc);
  for (const char* file : {"/smaps", "/auxv", "/timers"}) (void)read_text(proc + file);
  for (const char* link : {"/cwd", "/root", "/exe"}) (void)os::read_link(proc + link);
  auto numbers = os::list_directory(proc + "/fd");
  for (const std::string& number : numbers ? *numbers : std::vector<std::string>()) {
    (void)os::read_link(proc + "/fd/" + number);
    (void)read_piece(proc + "/fdinfo/" + number);
  }
}

Result<TreeFacts> read_facts(const std::vector<pid_t>& processes, const ProcessFacts* init) {
  TreeFacts facts;
  SF_TRY_ASSIGN(facts.processes, read_processes(processes, init));
  if (facts.processes.empty()) return fail(ErrorCode::kSessionLost, "the branch has no processes");
  for (ProcessFacts& process : facts.processes) {
    auto parent = std::ranges::find(facts.processes, process.stat().parent, &ProcessFacts::pid);
    if (parent == facts.processes.end()) continue;
    process.parent = parent->pid;
    process.shares_with_parent =
        !process.ended() && !parent->ended() &&
        (shared(parent->pid, process.pid, KCMP_VM) ||
         shared(parent->pid, process.pid, KCMP_FILES) || shared(parent->pid, process.pid, KCMP_FS));
  }
  SF_TRY(look_at_unix_sockets(facts.processes));
  look_at_connections(facts.processes);
  find_shared_ports(facts.processes);
  SF_TRY(find_watched(facts.processes));
  find_owners(facts.processes);
  tie_ptys(facts.processes);
  return facts;
}

}  // namespace sf::waypoint::native
