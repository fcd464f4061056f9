#include "waypoint/speculation/fingerprint.h"

#include <asm/termbits.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/digest.h"
#include "base/split.h"
#include "engine/capture_facts.h"
#include "engine/native/files/terminal_calls.h"
#include "engine/native/process/limits.h"
#include "engine/native/process/proc_texts.h"
#include "os/file.h"
#include "os/process.h"
#include "shell/init/init_protocol.h"
#include "waypoint/file_stamp.h"
#include "waypoint/keeper/keeper_namespaces.h"

namespace sf::waypoint {
namespace {

constexpr std::size_t kMaxEntries = 4000;  // changed files; with more, a checkpoint is as fast
constexpr std::size_t kMaxText = 1U << 20U;
constexpr int kOneProcess = 1;  // IOPRIO_WHO_PROCESS

std::string proc(pid_t pid, const std::string& name) {
  return "/proc/" + std::to_string(pid) + "/" + name;
}

bool nobody_else_runs(const FingerprintedBranch& branch) {
  for (pid_t child : os::children_of(branch.init)) {
    const bool is_ours = child == branch.shell || child == branch.holder;
    if (!is_ours && os::process_state(child) == 'Z') continue;  // init is about to reap it
    if (!is_ours) return false;
    if (!os::children_of(child).empty()) return false;
  }
  return true;
}

template <typename T>
std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

// The process's scheduling: policy, niceness, slice, CPUs, I/O priority.
bool add_schedule(Digest& digest, pid_t pid) {
  native::Schedule schedule;
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  const long io_priority = ::syscall(SYS_ioprio_get, kOneProcess, pid);
  if (::syscall(SYS_sched_getattr, pid, &schedule, sizeof schedule, 0) != 0 ||
      ::sched_getaffinity(pid, sizeof cpus, &cpus) != 0 || io_priority < 0)
    return false;
  digest.add(bytes_of(schedule)).add(bytes_of(cpus)).add(bytes_of(io_priority));
  return true;
}

// Not prlimit(): it needs CAP_SYS_RESOURCE for a process of another user, and containers lack that.
bool add_limits(Digest& digest, pid_t pid) {
  auto limits = os::read_file(proc(pid, "limits"), kMaxText);
  if (limits) digest.add(*limits);
  return limits.ok();
}

enum class Whose { kUsers, kOurs };

// The kernel's state of a process besides memory and descriptors that other processes can change.
// Only the process itself changes its signal mask. The masks of init and the holder are left out:
// they only tell whether those two are working at this moment.
bool add_standing(Digest& digest, pid_t pid, Whose whose) {
  auto status = os::read_file(proc(pid, "status"), kMaxText);
  if (!status || !add_schedule(digest, pid) || !add_limits(digest, pid)) return false;
  constexpr auto kKept = std::to_array<std::string_view>(
      {"Name", "Umask", "Uid", "Gid", "Groups", "SigBlk", "SigIgn", "SigCgt", "CapInh", "CapPrm",
       "CapEff", "CapBnd", "CapAmb", "NoNewPrivs", "Seccomp", "Threads"});
  for (std::string_view rest = *status; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const std::string_view key = line.substr(0, line.find(':'));
    // /proc shows neither the sender of a pending signal nor its value.
    const bool is_pending = key == "SigPnd" || key == "ShdPnd";
    if (is_pending && line.find_first_of("123456789abcdef", key.size()) != std::string_view::npos)
      return false;
    if (line.starts_with("State:\tT")) return false;
    if (whose == Whose::kOurs && key == "SigBlk") continue;
    if (std::ranges::find(kKept, key) != kKept.end()) digest.add(line);
    // These lines begin with the pid outside of the namespace, which no command sees.
    if (key == "NSpid" || key == "NSpgid" || key == "NSsid")
      digest.add(line.substr(line.rfind('\t')));
  }
  for (const char* file : {"oom_score_adj", "coredump_filter", "timerslack_ns"}) {
    auto text = os::read_file(proc(pid, file), kMaxText);
    if (!text) return false;
    digest.add(*text);
  }
  return true;
}

bool add_process(Digest& digest, pid_t shell) {
  if (!add_standing(digest, shell, Whose::kUsers)) return false;
  for (const char* link : {"cwd", "root", "exe"}) {
    auto target = os::read_link(proc(shell, link));
    if (!target) return false;
    digest.add(*target);
  }
  return true;
}

// Allowed descriptors are the terminal, and open files if add_files() covers their content.
enum class Locks { kWhole, kWithoutLocation };

// "lock:\t1: FLOCK  ADVISORY  WRITE 7 00:2b:456 0 EOF" without the process and the file, since
// these differ in a copy.
std::string without_location(const std::string& lock) {
  std::string kept;
  int words = 0;
  for (const std::string& word : split(lock, ' ')) {
    if (word.empty()) continue;
    ++words;
    if (words != 5 && words != 6) kept += word + " ";
  }
  return kept;
}

bool add_descriptors(Digest& digest, pid_t shell, Locks locks) {
  auto numbers = os::list_directory(proc(shell, "fd"));
  if (!numbers) return false;
  std::ranges::sort(*numbers);
  for (const std::string& number : *numbers) {
    std::string path = proc(shell, "fd/" + number);
    auto target = os::read_link(path);
    auto info = os::read_file(proc(shell, "fdinfo/" + number), kMaxText);
    struct stat file {};
    if (!target || !info || ::stat(path.c_str(), &file) != 0) return false;
    digest.add(number).add(*target);
    bool is_terminal = *target == kTerminalPath;
    bool has_content = S_ISREG(file.st_mode) || S_ISDIR(file.st_mode);
    if (!is_terminal && (!has_content || file.st_nlink == 0)) return false;
    for (const std::string& line : split(*info, '\n')) {
      if (line.starts_with("mnt_id:") || line.starts_with("ino:")) continue;
      const bool is_lock = line.starts_with("lock:");
      digest.add(is_lock && locks == Locks::kWithoutLocation ? without_location(line) : line);
    }
    // fdinfo does not name the process that gets the file's signals.
    auto parsed = native::parse_fdinfo(*info);
    if (!parsed || (parsed->flags & static_cast<unsigned>(O_ASYNC)) != 0) return false;
  }
  return true;
}

bool add_mounts(Digest& digest, pid_t init) {
  auto table = os::read_file(proc(init, "mountinfo"), kMaxText);
  if (!table) return false;
  std::vector<std::string> mounts;
  for (const std::string& line : split(*table, '\n')) {
    // id parent major:minor root point options... - type source options
    std::vector<std::string> words = split(line, ' ');
    auto dash = std::ranges::find(words, "-");
    if (words.size() < 6 || words.end() - dash < 2) return false;
    const std::string& type = dash[1];
    if (type != "overlay" && type != "proc" && type != "sysfs" && type != "devpts") return false;
    mounts.push_back(words[4] + " " + words[3] + " " + words[5] + " " + type);
  }
  std::ranges::sort(mounts);  // the order differs in a restored tree
  for (const std::string& mount : mounts) digest.add(mount);
  return true;
}

// Settings, window size, and permission to open it (`mesg n`, TIOCEXCL).
bool add_terminal(Digest& digest, const FingerprintedBranch& branch) {
  termios2 settings{};
  std::array<std::uint16_t, 4> size{};
  struct stat slave {};
  int is_exclusive = 0;
  auto opened = os::open_file(proc(branch.init, std::string("root") + kTerminalPath),
                              O_RDWR | O_NOCTTY | O_NONBLOCK);
  if (!opened || ::ioctl(branch.terminal, native::kGetSettings, &settings) != 0 ||
      ::ioctl(branch.terminal, native::kGetWindow, size.data()) != 0 ||
      ::fstat(opened->get(), &slave) != 0 ||
      ::ioctl(opened->get(), native::kGetExclusive, &is_exclusive) != 0)
    return false;
  digest.add(bytes_of(settings)).add(bytes_of(size)).add(bytes_of(is_exclusive));
  digest.add(bytes_of(slave.st_uid)).add(bytes_of(slave.st_gid)).add(bytes_of(slave.st_mode));
  return true;
}

// All changed files of the branch, as one digest.
bool add_files(Digest& digest, const std::string& upper) {
  auto stamp = FileStamp::of(upper, kMaxEntries);
  if (!stamp || !stamp->shows_later_changes()) return false;
  digest.add(stamp->digest());
  return true;
}

// The kernel's state of the shell, its holder and init. Returns false if anything else exists.
bool add_alone(Digest& digest, const FingerprintedBranch& branch, native::PosixQueues& queues,
               Locks locks) {
  if (!nobody_else_runs(branch) || has_ipc_objects() || native::may_have_queues(queues) ||
      !add_standing(digest, branch.init, Whose::kOurs) || !add_process(digest, branch.shell) ||
      (branch.holder != 0 && !add_standing(digest, branch.holder, Whose::kOurs)) ||
      !add_descriptors(digest, branch.shell, locks) || !add_mounts(digest, branch.init) ||
      !add_terminal(digest, branch))
    return false;
  digest.add(current_hostname());
  return true;
}

}  // namespace

bool stands_alone(const FingerprintedBranch& branch) {
  auto limits = os::read_file(proc(branch.shell, "limits"), kMaxText);
  if (!limits || !nobody_else_runs(branch)) return false;
  std::size_t at = limits->find("Max file size");
  return at != std::string::npos &&
         limits->substr(at, limits->find('\n', at) - at).find("unlimited") != std::string::npos;
}

std::optional<StateFingerprint> fingerprint_state(const FingerprintedBranch& branch,
                                                  const ShellFingerprint& shell_fingerprint,
                                                  native::PosixQueues& queues) {
  Digest digest;
  digest.add(shell_fingerprint.state);
  if (!add_alone(digest, branch, queues, Locks::kWhole) || !add_files(digest, branch.upper))
    return std::nullopt;
  return StateFingerprint{digest.hex(), branch.commands, shell_fingerprint.line};
}

std::optional<std::string> digest_shell(const FingerprintedBranch& branch,
                                        const ShellFingerprint& shell_fingerprint,
                                        native::PosixQueues& queues) {
  auto text = repeatable_text(shell_fingerprint);
  Digest digest;
  if (!text || !add_alone(digest, branch, queues, Locks::kWithoutLocation)) return std::nullopt;
  return digest.add(*text).hex();
}

}  // namespace sf::waypoint
