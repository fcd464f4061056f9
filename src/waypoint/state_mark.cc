#include "waypoint/state_mark.h"

#include <sched.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <vector>

#include "base/digest.h"
#include "base/split.h"
#include "os/file.h"
#include "os/host_info.h"
#include "os/process.h"
#include "os/terminal.h"
#include "waypoint/init/init_protocol.h"
#include "waypoint/keeper_host.h"

namespace sf::waypoint {
namespace {

constexpr std::size_t kMaxEntries = 4000;  // of changed files: beyond, a checkpoint is as quick
constexpr std::size_t kMaxText = 1U << 20U;
constexpr long kCoarseTick = 20'000'000;  // ns; the kernel's coarse clock is never older

std::string proc(pid_t pid, const std::string& name) {
  return "/proc/" + std::to_string(pid) + "/" + name;
}

bool nobody_else_runs(const MarkedBranch& branch) {
  for (pid_t child : os::children_of(branch.init)) {
    if (child != branch.shell && child != branch.holder) return false;
    if (!os::children_of(child).empty()) return false;
  }
  return true;
}

// What the kernel keeps for the shell beside its memory.
bool add_process(Digest& digest, pid_t shell) {
  auto status = os::read_file(proc(shell, "status"), kMaxText);
  auto limits = os::read_file(proc(shell, "limits"), kMaxText);
  auto oom = os::read_file(proc(shell, "oom_score_adj"), kMaxText);
  if (!status || !limits || !oom) return false;
  constexpr auto kKept = std::to_array<std::string_view>(
      {"Name", "Umask", "Uid", "Gid", "Groups", "SigPnd", "ShdPnd", "SigBlk", "SigIgn", "SigCgt",
       "CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs", "Seccomp", "Threads"});
  for (const std::string& line : split(*status, '\n')) {
    std::string_view key = std::string_view(line).substr(0, line.find(':'));
    if (std::ranges::find(kKept, key) != kKept.end()) digest.add(line);
    // It begins with the pid outside, which no command sees.
    if (key == "NSpid") digest.add(line.substr(line.rfind('\t')));
  }
  digest.add(*limits).add(*oom);
  digest.add(std::to_string(::getpriority(PRIO_PROCESS, static_cast<id_t>(shell))));
  digest.add(std::to_string(::sched_getscheduler(shell)));
  for (const char* link : {"cwd", "root", "exe"}) {
    auto target = os::read_link(proc(shell, link));
    if (!target) return false;
    digest.add(*target);
  }
  return true;
}

// The terminal, and open files whose content FileWalk sees.
bool add_descriptors(Digest& digest, pid_t shell) {
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
      if (!line.starts_with("mnt_id:") && !line.starts_with("ino:")) digest.add(line);
    }
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
  std::ranges::sort(mounts);  // a restored tree has them in another order
  for (const std::string& mount : mounts) digest.add(mount);
  return true;
}

bool add_terminal(Digest& digest, int master) {
  auto settings = os::terminal_settings(master);
  winsize size{};
  if (!settings || ::ioctl(master, TIOCGWINSZ, &size) != 0) return false;
  auto bytes = [](const auto& value) {
    return std::string_view(reinterpret_cast<const char*>(&value), sizeof value);
  };
  digest.add(bytes(settings->c_iflag)).add(bytes(settings->c_oflag));
  digest.add(bytes(settings->c_cflag)).add(bytes(settings->c_lflag));
  digest.add(bytes(settings->c_cc)).add(bytes(size));
  return true;
}

// From Linux 6.13 on a file's times tell two changes apart however close they are, once somebody
// has looked at them. Before, a change within the same tick of the clock would not show.
bool times_are_fine() {
  auto version = os::parse_kernel_version(os::kernel_release());
  return version && *version >= os::KernelVersion{6, 13};
}

class FileWalk {
 public:
  FileWalk(Digest& digest, bool fine_times) : digest_(digest), fine_times_(fine_times) {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    now_ = nanoseconds_of(now);
  }

  // The directory itself is the branch's `/`.
  bool add_all(const std::string& directory) {
    struct stat top {};
    return ::lstat(directory.c_str(), &top) == 0 && add("", top) && walk(directory);
  }

 private:
  bool walk(const std::string& directory) {
    auto names = os::list_directory(directory);
    if (!names) return false;
    std::ranges::sort(*names);
    for (const std::string& name : *names) {
      std::string path = directory + "/" + name;
      struct stat file {};
      if (++entries_ > kMaxEntries || ::lstat(path.c_str(), &file) != 0) return false;
      if (!add(name, file)) return false;
      if (S_ISDIR(file.st_mode) && !walk(path)) return false;
    }
    digest_.add("");  // "up again"
    return true;
  }

  static long nanoseconds_of(const timespec& t) { return t.tv_sec * 1'000'000'000L + t.tv_nsec; }

  bool add(const std::string& name, const struct stat& file) {
    digest_.add(name);
    for (auto number :
         {static_cast<unsigned long>(file.st_ino), static_cast<unsigned long>(file.st_mode),
          static_cast<unsigned long>(file.st_uid), static_cast<unsigned long>(file.st_gid),
          static_cast<unsigned long>(file.st_nlink), static_cast<unsigned long>(file.st_rdev),
          static_cast<unsigned long>(file.st_size)})
      digest_.add(std::to_string(number));
    const long changed = nanoseconds_of(file.st_ctim);
    if (!fine_times_ && now_ - changed < kCoarseTick) return false;
    digest_.add(std::to_string(changed));  // moves with all the others, but for what is only read
    return true;
  }

  Digest& digest_;
  bool fine_times_;
  long now_ = 0;
  std::size_t entries_ = 0;
};

}  // namespace

bool stands_alone(const MarkedBranch& branch) {
  auto limits = os::read_file(proc(branch.shell, "limits"), kMaxText);
  if (!limits || !nobody_else_runs(branch)) return false;
  std::size_t at = limits->find("Max file size");
  return at != std::string::npos &&
         limits->substr(at, limits->find('\n', at) - at).find("unlimited") != std::string::npos;
}

std::optional<StateMark> mark_state(const MarkedBranch& branch, const ShellLook& look) {
  Digest digest;
  digest.add(look.state);
  if (!nobody_else_runs(branch) || has_ipc_objects() || !add_process(digest, branch.shell) ||
      !add_descriptors(digest, branch.shell) || !add_mounts(digest, branch.init) ||
      !add_terminal(digest, branch.terminal) ||
      !FileWalk(digest, times_are_fine()).add_all(branch.upper))
    return std::nullopt;
  digest.add(current_hostname());
  return StateMark{digest.hex(), branch.commands, look.line};
}

std::optional<std::string> digest_shell(const MarkedBranch& branch, const ShellLook& look) {
  auto text = repeatable_text(look);
  Digest digest;
  if (!text || !nobody_else_runs(branch) || has_ipc_objects() ||
      !add_process(digest, branch.shell) || !add_descriptors(digest, branch.shell) ||
      !add_mounts(digest, branch.init) || !add_terminal(digest, branch.terminal))
    return std::nullopt;
  return digest.add(*text).add(current_hostname()).hex();
}

}  // namespace sf::waypoint
