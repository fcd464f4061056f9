#include "os/probe.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <optional>
#include <utility>

#include "os/error.h"
#include "os/file.h"
#include "os/loop_device.h"
#include "os/pipe.h"
#include "os/socket.h"

namespace sf::os {
namespace {

constexpr std::uint64_t kWriteProtectAsync = 1U << 15U;  // newer than the headers of Debian 12
constexpr std::uint64_t kPagePresent = 1U << 3U;
constexpr std::pair<const char*, int> kNamespaces[] = {
    {"pid", CLONE_NEWPID}, {"mnt", CLONE_NEWNS},  {"net", CLONE_NEWNET},
    {"ipc", CLONE_NEWIPC}, {"uts", CLONE_NEWUTS}, {"cgroup", CLONE_NEWCGROUP},
};
constexpr unsigned kFsopenCloexec = 1;

// Less than PIPE_BUF, so that the child's write never blocks.
constexpr std::size_t kMaxVerdict = 2048;
// The child mounts a tmpfs over it in its own mount namespace.
constexpr const char* kScratch = "/tmp";

// What the child writes before it ends: an errno, then the message.
struct Verdict {
  bool works;
  int error;
  char message[kMaxVerdict];
};

// Ends the process.
[[noreturn]] void report(int fd, const Status& status) {
  Verdict verdict{};
  verdict.works = status.ok();
  if (!status) {
    verdict.error = status.error().os_errno;
    status.error().message.copy(verdict.message, kMaxVerdict - 1);
  }
  ssize_t written = ::write(fd, &verdict, sizeof verdict);
  ::_exit(written == static_cast<ssize_t>(sizeof verdict) ? 0 : 1);
}

Status check(long result, const std::string& what) {
  if (result < 0) return last_error(what);
  return Ok{};
}

Status tmpfs_on_scratch() {
  SF_TRY_ASSIGN(UniqueFd mount, mount_detached("tmpfs", {}));
  return attach_mount(mount.get(), kScratch);
}

Status enter_namespace(int flag, Deadline deadline) {
  SF_TRY(check(::unshare(flag), "unshare"));
  if (flag != CLONE_NEWPID) return Ok{};
  auto is_first = []() -> Status {
    if (::getpid() == 1) return Ok{};
    return fail(ErrorCode::kUnsupported, "the first process of a PID namespace is not process 1");
  };
  return probe_in_child(is_first, deadline);
}

Status use_overlay(const std::vector<MountOption>& wanted) {
  SF_TRY(tmpfs_on_scratch());
  std::string base = kScratch;
  for (const char* name : {"/lower/dir", "/upper", "/work", "/merged"})
    SF_TRY(make_directories(base + name));
  SF_TRY(write_file(base + "/lower/dir/file", "below"));
  std::vector<MountOption> options = {
      {"lowerdir", base + "/lower"}, {"upperdir", base + "/upper"}, {"workdir", base + "/work"}};
  options.insert(options.end(), wanted.begin(), wanted.end());
  SF_TRY_ASSIGN(UniqueFd overlay, mount_detached("overlay", options));
  SF_TRY(attach_mount(overlay.get(), base + "/merged"));
  SF_TRY(rename_path(base + "/merged/dir", base + "/merged/renamed"));
  SF_TRY_ASSIGN(std::string text, read_file(base + "/merged/renamed/file"));
  if (text != "below")
    return fail(ErrorCode::kUnsupported, "the overlay shows other content than its lower layer");
  return check(::unlink((base + "/merged/renamed/file").c_str()), "deleting through the overlay");
}

Status use_devpts() {
  SF_TRY_ASSIGN(
      UniqueFd mount,
      mount_detached("devpts", {{"newinstance", ""}, {"ptmxmode", "0666"}, {"mode", "0620"}}));
  SF_TRY_ASSIGN(UniqueFd master, open_at(mount.get(), "ptmx", O_RDWR | O_NOCTTY));
  int unlock = 0;
  SF_TRY(check(::ioctl(master.get(), TIOCSPTLCK, &unlock), "unlocking a terminal"));
  UniqueFd slave(::ioctl(master.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
  return check(slave.get(), "opening the terminal");
}

Result<Child> idle_process() {
  pid_t pid = ::fork();
  if (pid < 0) return last_error("forking");
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) ::pause();
  }
  return adopt_child(pid);
}

Status seize(pid_t pid) {
  SF_TRY(check(::ptrace(PTRACE_SEIZE, pid, nullptr, nullptr), "seizing another process"));
  SF_TRY(check(::ptrace(PTRACE_INTERRUPT, pid, nullptr, nullptr), "stopping a seized process"));
  SF_TRY(check(::waitpid(pid, nullptr, __WALL), "waiting for a seized process"));
  return check(::ptrace(PTRACE_DETACH, pid, nullptr, nullptr), "detaching from a seized process");
}

Status use_userfaultfd() {
  UniqueFd fd(static_cast<int>(::syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK)));
  SF_TRY(check(fd.get(), "userfaultfd"));
  uffdio_api api{};
  api.api = UFFD_API;
  SF_TRY(check(::ioctl(fd.get(), UFFDIO_API, &api), "userfaultfd"));
  if ((api.features & kWriteProtectAsync) == 0)
    return fail(ErrorCode::kUnsupported,
                "userfaultfd has no asynchronous write protection (Linux 6.7 and later)");
  return Ok{};
}

Status use_pagemap_scan() {
  // As in <linux/fs.h> from Linux 6.7 on; the headers of Debian 12 are older.
  struct ScanArgument {
    std::uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
    std::uint64_t category_inverted, category_mask, category_anyof_mask, return_mask;
  };
  struct Region {
    std::uint64_t start, end, categories;
  };
  SF_TRY_ASSIGN(UniqueFd pagemap, open_file("/proc/self/pagemap", O_RDONLY));
  auto page_size = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  int local = 0;
  Region region{};
  ScanArgument argument{};
  argument.size = sizeof argument;
  argument.start = reinterpret_cast<std::uintptr_t>(&local) / page_size * page_size;
  argument.end = argument.start + page_size;
  argument.vec = reinterpret_cast<std::uintptr_t>(&region);
  argument.vec_len = 1;
  argument.category_mask = kPagePresent;
  argument.return_mask = kPagePresent;
  return check(::ioctl(pagemap.get(), _IOWR('f', 16, ScanArgument), &argument), "PAGEMAP_SCAN");
}

Status set_last_pid() {
  SF_TRY_ASSIGN(UniqueFd proc, mount_detached("proc", {}));
  SF_TRY_ASSIGN(UniqueFd counter, open_at(proc.get(), "sys/kernel/ns_last_pid", O_WRONLY));
  return write_all(counter.get(), "4000");
}

// Creates a group, tries to enable `limits` there, and restores the hierarchy.
class CgroupTry {
 public:
  explicit CgroupTry(const std::string& mount)
      : mount_(mount), path_(mount + "/statefork-doctor-" + std::to_string(::getpid())) {
    if (::mkdir(path_.c_str(), 0755) != 0) made_ = last_error("creating cgroup " + path_);
  }
  ~CgroupTry() {
    ::rmdir(path_.c_str());
    for (const std::string& controller : handed_down_)
      (void)write_file(mount_ + "/cgroup.subtree_control", "-" + controller);
  }
  CgroupTry(const CgroupTry&) = delete;
  CgroupTry& operator=(const CgroupTry&) = delete;

  const Status& made() const { return made_; }
  bool has(const std::string& file) const { return exists(path_ + "/" + file); }
  Status limit(const std::string& file, const std::string& value) const {
    if (!made_) return made_;
    return write_file(path_ + "/" + file, value);
  }
  Status hand_down(const std::string& controller) {
    std::string control = mount_ + "/cgroup.subtree_control";
    SF_TRY_ASSIGN(std::string before, read_file(control));
    while (!before.empty() && before.back() == '\n') before.pop_back();
    if ((" " + before + " ").find(" " + controller + " ") != std::string::npos) return Ok{};
    SF_TRY(write_file(control, "+" + controller));
    handed_down_.push_back(controller);
    return Ok{};
  }

 private:
  std::string mount_;
  std::string path_;
  Status made_ = Ok{};
  std::vector<std::string> handed_down_;
};

constexpr CgroupLimits kTriedLimits{1ULL << 30U, 1000, 1.0};

}  // namespace

Status probe_in_child(const std::function<Status()>& attempt, Deadline deadline) {
  SF_TRY_ASSIGN(Pipe pipe, make_pipe());
  pid_t pid = ::fork();
  if (pid < 0) return last_error("forking");
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    report(pipe.write_end.get(), attempt());
  }
  pipe.write_end.reset();
  SF_TRY_ASSIGN(Child child, adopt_child(pid));
  SF_TRY_ASSIGN(ExitStatus ended, child.wait(deadline));
  Verdict verdict{};
  if (ended.shell_code() != 0 ||
      ::read(pipe.read_end.get(), &verdict, sizeof verdict) != static_cast<ssize_t>(sizeof verdict))
    return fail(ErrorCode::kUnsupported, "the probe ended: " + ended.text());
  if (verdict.works) return Ok{};
  return Error{ErrorCode::kUnsupported, verdict.error, verdict.message, {}};
}

Status probe_with_private_mounts(const std::function<Status()>& attempt, Deadline deadline) {
  return probe_in_child(
      [&]() -> Status {
        SF_TRY(check(::unshare(CLONE_NEWNS), "creating a mount namespace"));
        SF_TRY(make_mounts_private());
        return attempt();
      },
      deadline);
}

bool is_refusal(const Error& error) { return error.os_errno == EPERM || error.os_errno == EACCES; }

std::map<std::string, Status> probe_namespaces(Deadline deadline) {
  std::map<std::string, Status> found;
  for (const auto& entry : kNamespaces) {
    auto attempt = [&] { return enter_namespace(entry.second, deadline); };
    found.insert_or_assign(entry.first, probe_in_child(attempt, deadline));
  }
  return found;
}

Status probe_mount_api(Deadline deadline) {
  return probe_with_private_mounts(tmpfs_on_scratch, deadline);
}

Status probe_overlay(const std::vector<MountOption>& options, Deadline deadline) {
  return probe_with_private_mounts([&] { return use_overlay(options); }, deadline);
}

Status probe_devpts(Deadline deadline) { return probe_with_private_mounts(use_devpts, deadline); }

Status probe_loop_device(Deadline deadline) {
  return probe_in_child(
      []() -> Status {
        // A memfd: it ends with the child and is never on a disk.
        UniqueFd image(::memfd_create("statefork-doctor", MFD_CLOEXEC));
        SF_TRY(check(image.get(), "memfd"));
        SF_TRY(check(::ftruncate(image.get(), 1 << 20), "memfd"));
        SF_TRY(attach_loop(fd_path(image.get())));
        return Ok{};
      },
      deadline);
}

Status probe_file_system(const std::string& name, Deadline deadline) {
  auto known = read_file("/proc/filesystems");
  if (known && known->find("\t" + name + "\n") != std::string::npos) return Ok{};
  return probe_in_child(
      [&]() -> Status {
        UniqueFd context(static_cast<int>(::syscall(SYS_fsopen, name.c_str(), kFsopenCloexec)));
        return check(context.get(), "file system " + name);
      },
      deadline);
}

Status probe_ptrace(Deadline deadline) {
  return probe_in_child(
      [&]() -> Status {
        SF_TRY_ASSIGN(Child target, idle_process());
        return probe_in_child([&] { return seize(target.pid()); }, deadline);
      },
      deadline);
}

Status probe_userfaultfd(Deadline deadline) { return probe_in_child(use_userfaultfd, deadline); }
Status probe_pagemap_scan(Deadline deadline) { return probe_in_child(use_pagemap_scan, deadline); }

Status probe_last_pid(Deadline deadline) {
  return probe_with_private_mounts(
      [&]() -> Status {
        SF_TRY(check(::unshare(CLONE_NEWPID), "creating a PID namespace"));
        return probe_in_child(set_last_pid, deadline);
      },
      deadline);
}

CgroupFacts probe_cgroups() {
  CgroupFacts facts;
  facts.layout = read_cgroup_layout();
  std::optional<CgroupTry> unified;
  if (!facts.layout.unified.empty()) {
    unified.emplace(facts.layout.unified);
    if (!unified->made()) facts.groups = unified->made();
    facts.freezes = unified->has("cgroup.freeze");
    facts.kills = unified->has("cgroup.kill");
  }
  for (const LimitSetting& setting : limit_settings(facts.layout, kTriedLimits)) {
    const std::string& name = setting.controller;
    Status limited =
        fail(ErrorCode::kUnsupported, "no cgroup hierarchy has the " + name + " controller");
    if (auto v1 = facts.layout.v1.find(name); v1 != facts.layout.v1.end()) {
      CgroupTry group(v1->second);
      if (!group.made()) facts.groups = group.made();
      limited = group.limit(setting.file, setting.value);
    } else if (unified && facts.layout.can_limit(name)) {
      limited = unified->made() ? unified->hand_down(name) : unified->made();
      if (limited) limited = unified->limit(setting.file, setting.value);
    }
    facts.limits.insert_or_assign(name, limited);
  }
  return facts;
}

}  // namespace sf::os
