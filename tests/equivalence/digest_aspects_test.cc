// For each row of waypoint/speculation/fingerprint_coverage.h that is marked as digested: the test
// changes this one aspect of a real branch without running a command, and the digest that proves a
// virtual node (Waypoint::digest) must change. So the changes come from outside: calls on the
// branch's processes, and system calls that a process of the branch makes under ptrace.
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>
#include <functional>
#include <set>

#include "../commands/fixture.h"
#include "base/split.h"
#include "engine/native/process/limits.h"
#include "engine/native/ptrace/tracee.h"
#include "os/file.h"
#include "os/process.h"
#include "os/run_program.h"
#include "os/terminal.h"
#include "waypoint/speculation/fingerprint_coverage.h"

namespace sf::waypoint {
namespace {

// The processes and files that a change can use.
struct Target {
  BranchPids pids;
  std::string root;  // root directory of the branch, as seen by this process

  std::string proc(const char* file) const {
    return "/proc/" + std::to_string(pids.shell) + "/" + file;
  }
};

// Makes a process execute system calls, and resumes it afterwards.
class Puppet {
 public:
  explicit Puppet(pid_t pid) : pid_(pid) {
    auto seized = native::Tracee::seize(pid);
    EXPECT_OK(seized);
    if (!seized) return;
    tracee_.emplace(std::move(*seized));
    EXPECT_OK(tracee_->wait_stopped(Deadline::after(seconds(20))));
  }
  // `bytes` are copied to the address that pointer() returns.
  void call(long number, const std::vector<std::uint64_t>& args, std::string bytes = "") {
    if (!bytes.empty()) {
      iovec from{bytes.data(), bytes.size()};
      iovec to{reinterpret_cast<void*>(pointer()), bytes.size()};
      ASSERT_EQ(::process_vm_writev(pid_, &from, 1, &to, 1, 0), static_cast<ssize_t>(bytes.size()));
    }
    auto offset = native::syscall_in_vdso();
    ASSERT_TRUE(offset.has_value());
    auto done = tracee_->call(vdso() + *offset, number, args);
    ASSERT_OK(done);
    EXPECT_GE(*done, 0) << "system call " << number;
  }
  // Below the stack pointer and the red zone.
  std::uint64_t pointer() const { return (tracee_->registers().rsp - 8192) & ~std::uint64_t{15}; }
  void block(int signal) {
    auto extended = tracee_->extended_state();
    ASSERT_OK(extended);
    EXPECT_OK(tracee_->become(tracee_->registers(), *extended,
                              tracee_->blocked() | (1ULL << static_cast<unsigned>(signal - 1))));
  }

 private:
  std::uint64_t vdso() const {
    auto maps = os::read_file("/proc/" + std::to_string(pid_) + "/maps");
    for (const std::string& line : split(maps ? *maps : "", '\n'))
      if (line.ends_with("[vdso]")) return std::stoull(line, nullptr, 16);
    ADD_FAILURE() << "no vDSO";
    return 0;
  }

  pid_t pid_;
  std::optional<native::Tracee> tracee_;
};

template <typename T>
std::string bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

void call_in_shell(const Target& t, long number, const std::vector<std::uint64_t>& args) {
  Puppet(t.pids.shell).call(number, args);
}

void write_proc(const Target& t, const char* file, const std::string& text) {
  EXPECT_OK(os::write_file(t.proc(file), text));
}

void change_schedule(const Target& t, const std::function<void(native::Schedule&)>& change) {
  native::Schedule schedule;
  ASSERT_EQ(::syscall(SYS_sched_getattr, t.pids.shell, &schedule, sizeof schedule, 0), 0);
  change(schedule);
  ASSERT_EQ(::syscall(SYS_sched_setattr, t.pids.shell, &schedule, 0), 0);
}

std::uint64_t capabilities(const Target& t, const std::string& key) {
  auto status = os::read_file(t.proc("status"));
  const std::size_t at = status ? status->find(key + ":\t") : std::string::npos;
  return at == std::string::npos ? 0
                                 : std::stoull(status->substr(at + key.size() + 2), nullptr, 16);
}

void drop_one_effective(const Target& t) {
  const std::uint64_t permitted = capabilities(t, "CapPrm");
  const std::uint64_t effective = permitted & (permitted - 1);
  __user_cap_header_struct head{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2] = {
      {static_cast<unsigned>(effective), static_cast<unsigned>(permitted), 0},
      {static_cast<unsigned>(effective >> 32U), static_cast<unsigned>(permitted >> 32U), 0}};
  Puppet shell(t.pids.shell);
  shell.call(SYS_capset, {shell.pointer(), shell.pointer() + sizeof head},
             bytes_of(head) + bytes_of(data));
}

void with_terminal(const Target& t, const std::function<int(int)>& change) {
  auto slave = os::open_file(t.root + "/dev/pts/0", O_RDWR | O_NOCTTY | O_NONBLOCK);
  ASSERT_OK(slave);
  EXPECT_EQ(change(slave->get()), 0);
}

struct Change {
  const char* row;
  const char* what;
  std::function<void(const Target&)> make;
};

// Requires: descriptor 3 of the shell is /w/f, and its working directory is /w/d.
const std::vector<Change>& shell_changes() {
  static const std::vector<Change> kChanges = {
      {"Credentials.uids", "saved user",
       [](const Target& t) {
         call_in_shell(t, SYS_setresuid, {0, 0, 1});
       }},
      {"Credentials.gids", "saved group",
       [](const Target& t) {
         call_in_shell(t, SYS_setresgid, {0, 0, 1});
       }},
      {"Credentials.groups", "one group more",
       [](const Target& t) {
         Puppet shell(t.pids.shell);
         shell.call(SYS_setgroups, {2, shell.pointer()}, bytes_of(std::array<gid_t, 2>{7, 9}));
       }},
      {"Credentials.capabilities", "bounding set",
       [](const Target& t) {
         call_in_shell(t, SYS_prctl, {PR_CAPBSET_DROP, CAP_CHOWN});
       }},
      {"Credentials.capabilities", "effective set", drop_one_effective},
      {"Credentials.no_new_privileges", "set",
       [](const Target& t) {
         call_in_shell(t, SYS_prctl, {PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0});
       }},
      {"ThreadImage.name", "renamed",
       [](const Target& t) {
         Puppet shell(t.pids.shell);
         shell.call(SYS_prctl, {PR_SET_NAME, shell.pointer()}, std::string("other\0", 6));
       }},
      {"ThreadImage.blocked", "SIGUSR1",
       [](const Target& t) { Puppet(t.pids.shell).block(SIGUSR1); }},
      {"ThreadImage.nice", "one more",
       [](const Target& t) {
         const auto shell = static_cast<id_t>(t.pids.shell);
         EXPECT_EQ(::setpriority(PRIO_PROCESS, shell, ::getpriority(PRIO_PROCESS, shell) + 1), 0);
       }},
      {"ThreadImage.io_priority", "best effort 7",
       [](const Target& t) {
         EXPECT_EQ(::syscall(SYS_ioprio_set, 1, t.pids.shell, (2 << 13) | 7), 0);
       }},
      {"ThreadImage.timer_slack", "70 us",
       [](const Target& t) { write_proc(t, "timerslack_ns", "70000"); }},
      {"ThreadImage.slice", "5 ms",
       [](const Target& t) {
         change_schedule(t, [](native::Schedule& s) { s.slice = 5'000'000; });
       }},
      {"ThreadImage.resets_on_fork", "set",
       [](const Target& t) {
         change_schedule(t, [](native::Schedule& s) { s.flags |= native::Schedule::kResetOnFork; });
       }},
      {"ThreadImage.affinity", "one CPU",
       [](const Target& t) {
         cpu_set_t cpus;
         ASSERT_EQ(::sched_getaffinity(t.pids.shell, sizeof cpus, &cpus), 0);
         if (CPU_COUNT(&cpus) < 2) GTEST_SKIP() << "this host has one CPU";
         std::size_t last = 0;
         for (std::size_t i = 0; i < CPU_SETSIZE; ++i) last = CPU_ISSET(i, &cpus) ? i : last;
         CPU_CLR(last, &cpus);
         EXPECT_EQ(::sched_setaffinity(t.pids.shell, sizeof cpus, &cpus), 0);
       }},
      {"ProcessImage.descriptors", "one more",
       [](const Target& t) { call_in_shell(t, SYS_dup, {3}); }},
      {"ProcessImage.cwd", "another directory",
       [](const Target& t) {
         Puppet shell(t.pids.shell);
         shell.call(SYS_chdir, {shell.pointer()}, std::string("/w\0", 3));
       }},
      {"ProcessImage.cwd_inode", "removed, and another one in its place",
       [](const Target& t) {
         EXPECT_EQ(::rmdir((t.root + "/w/d").c_str()), 0);
         EXPECT_EQ(::mkdir((t.root + "/w/d").c_str(), 0755), 0);
       }},
      {"ProcessImage.umask", "077", [](const Target& t) { call_in_shell(t, SYS_umask, {077}); }},
      {"ProcessImage.actions", "SIGUSR1 ignored",
       [](const Target& t) {
         struct {
           std::uint64_t handler = 1;  // SIG_IGN
           std::uint64_t flags = 0;
           std::uint64_t restorer = 0;
           std::uint64_t mask = 0;
         } action;
         Puppet shell(t.pids.shell);
         shell.call(SYS_rt_sigaction, {SIGUSR1, shell.pointer(), 0, 8}, bytes_of(action));
       }},
      {"ProcessImage.limits", "open files",
       [](const Target& t) {
         const rlimit limit{64, 64};
         EXPECT_EQ(::prlimit(t.pids.shell, RLIMIT_NOFILE, &limit, nullptr), 0);
       }},
      {"ProcessImage.limits", "open files of init",
       [](const Target& t) {
         const rlimit limit{500, 600};
         EXPECT_EQ(::prlimit(t.pids.init, RLIMIT_NOFILE, &limit, nullptr), 0);
       }},
      {"ProcessImage.oom_score_adj", "100",
       [](const Target& t) { write_proc(t, "oom_score_adj", "100"); }},
      {"ProcessImage.core_filter", "7",
       [](const Target& t) { write_proc(t, "coredump_filter", "7"); }},
      {"FileImage.path", "renamed",
       [](const Target& t) {
         EXPECT_EQ(::rename((t.root + "/w/f").c_str(), (t.root + "/w/g").c_str()), 0);
       }},
      {"FileImage.flags", "O_NONBLOCK",
       [](const Target& t) {
         call_in_shell(t, SYS_fcntl, {3, F_SETFL, O_NONBLOCK});
       }},
      {"FileImage.offset", "1",
       [](const Target& t) {
         call_in_shell(t, SYS_lseek, {3, 1, SEEK_SET});
       }},
      {"FileImage.terminal", "instead of a file",
       [](const Target& t) {
         call_in_shell(t, SYS_dup2, {0, 3});
       }},
      {"FileImage.locks", "flock",
       [](const Target& t) {
         call_in_shell(t, SYS_flock, {3, 1});
       }},
      {"TerminalImage.settings", "the key that kills a line",
       [](const Target& t) {
         with_terminal(t, [](int fd) {
           auto settings = os::terminal_settings(fd);
           if (!settings) return -1;
           settings->c_cc[VKILL] = 'k';
           return os::set_terminal_settings(fd, *settings) ? 0 : -1;
         });
       }},
      {"TerminalImage.window", "31 x 91",
       [](const Target& t) {
         with_terminal(t, [](int fd) { return os::set_window_size(fd, 31, 91) ? 0 : -1; });
       }},
      {"TerminalImage.uid", "7",
       [](const Target& t) {
         with_terminal(t, [](int fd) { return ::fchown(fd, 7, gid_t(-1)); });
       }},
      {"TerminalImage.gid", "7",
       [](const Target& t) {
         with_terminal(t, [](int fd) { return ::fchown(fd, uid_t(-1), 7); });
       }},
      {"TerminalImage.mode", "601",
       [](const Target& t) { with_terminal(t, [](int fd) { return ::fchmod(fd, 0601); }); }},
      {"TerminalImage.exclusive", "TIOCEXCL",
       [](const Target& t) { with_terminal(t, [](int fd) { return ::ioctl(fd, TIOCEXCL); }); }},
      {"CapturedState.hostname", "other",
       [](const Target& t) {
         auto done = os::run_program(
             {"/usr/bin/nsenter", "-t", std::to_string(t.pids.init), "-u", "hostname", "other"},
             Deadline::after(seconds(20)));
         ASSERT_OK(done);
         EXPECT_TRUE(done->succeeded()) << done->text;
       }},
  };
  return kChanges;
}

// Rows that every command changes, or that need another branch, have tests of their own.
constexpr std::string_view kNewShell[] = {"ThreadImage.tid", "ProcessImage.pid",
                                          "ProcessImage.group", "ProcessImage.session",
                                          "CapturedState.shell_pid"};
constexpr std::string_view kNewHolder = "CapturedState.holder_pid";
constexpr std::string_view kFiles = "beside.files";
// Not in the digest of a virtual node (docs/guarantees.md), but checked before a checkpoint is
// shared.
constexpr std::string_view kLeftOut = "beside.access times";

template <typename S>
void add_digested(const std::string& name, std::set<std::string>& rows) {
  for (const auto& row : rows_of(static_cast<const S*>(nullptr)))
    if (row.sight == Sight::kDigested) rows.insert(name + "." + std::string(row.name));
}

std::set<std::string> digested_rows() {
  std::set<std::string> rows;
  add_digested<native::TreeImage>("TreeImage", rows);
  add_digested<native::ProcessImage>("ProcessImage", rows);
  add_digested<native::ThreadImage>("ThreadImage", rows);
  add_digested<native::Credentials>("Credentials", rows);
  add_digested<native::FileImage>("FileImage", rows);
  add_digested<native::TerminalImage>("TerminalImage", rows);
  add_digested<native::IpcImage>("IpcImage", rows);
  for (const SavedKey& row : kSavedKeys)
    if (row.sight == Sight::kDigested) rows.insert("CapturedState." + std::string(row.name));
  for (const SavedKey& row : kSavedBeside)
    if (row.sight == Sight::kDigested) rows.insert("beside." + std::string(row.name));
  return rows;
}

class DigestAspectsTest : public CommandsTest {
 protected:
  static constexpr const char* kPrepare =
      "mkdir -p /w/d; echo one >/w/f; ln -sf f /w/link; mkfifo -m 600 /w/pipe 2>/dev/null; "
      "exec 3</w/f; cd /w/d";

  void prepare(const BranchConfig& config = {}) {
    branch_ = start(config);
    command(kPrepare);
  }
  void command(const std::string& text) {
    auto done = wp_->exec(branch_, {.command = text, .always_fingerprint = true});
    ASSERT_TRUE(done.ok()) << text << ": " << (done ? "" : done.error().describe());
  }
  std::string digest(bool files) {
    auto made = wp_->digest(branch_, {.limits = {.files = files,
                                                 .shell = !files,
                                                 .max_files = 20'000,
                                                 .max_bytes = 64U << 20U,
                                                 .max_time = milliseconds(20'000)}});
    EXPECT_TRUE(made.ok()) << (made ? "" : made.error().describe());
    return made ? *made : "";
  }
  Target target() {
    auto pids = wp_->pids(branch_);
    EXPECT_TRUE(pids.ok()) << (pids ? "" : pids.error().describe());
    if (!pids) return {};
    return {*pids, "/proc/" + std::to_string(pids->init) + "/root"};
  }
};

TEST_F(DigestAspectsTest, EveryDigestedRowIsChangedByATest) {
  std::set<std::string> changed;
  for (const Change& change : shell_changes()) changed.insert(change.row);
  for (std::string_view row : kNewShell) changed.emplace(row);
  for (std::string_view row : {kNewHolder, kFiles, kLeftOut}) changed.emplace(row);
  EXPECT_EQ(changed, digested_rows());
}

TEST_F(DigestAspectsTest, ChangeOfOneAspectOfTheShellChangesTheDigest) {
  for (const Change& change : shell_changes()) {
    SCOPED_TRACE(std::string(change.row) + ", " + change.what);
    prepare();
    const std::string before = digest(false);
    const Target reached = target();
    call_in_shell(reached, SYS_getpid, {});
    ASSERT_EQ(digest(false), before) << "the injected call itself must not change the digest";
    change.make(reached);
    EXPECT_NE(digest(false), before);
    ASSERT_TRUE(wp_->end(branch_).ok());
  }
}

TEST_F(DigestAspectsTest, AnotherShellChangesTheDigest) {
  prepare();
  const std::string before = digest(false);
  const pid_t old = target().pids.shell;
  ASSERT_TRUE(wp_->exec(branch_, {.command = "exit"}).ok());
  command(kPrepare);
  ASSERT_NE(target().pids.shell, old);
  EXPECT_NE(digest(false), before);
}

TEST_F(DigestAspectsTest, AnotherHolderOfTheDescriptorsChangesTheDigest) {
  branch_ = start({.user = "nobody"});
  command("true");
  const std::string before = digest(false);
  const Target reached = target();
  ASSERT_NE(reached.pids.holder, reached.pids.init);
  ASSERT_TRUE(os::signal_process(reached.pids.holder, SIGKILL).ok());
  for (Deadline patience = Deadline::after(seconds(20));;) {
    const pid_t holder = target().pids.holder;
    if (holder != 0 && holder != reached.pids.holder) break;
    ASSERT_FALSE(patience.passed());
  }
  EXPECT_NE(digest(false), before);
}

struct FileChange {
  const char* what;
  std::function<int(const std::string& directory)> make;
};

TEST_F(DigestAspectsTest, ChangeOfOneAspectOfAFileChangesTheDigest) {
  const std::vector<FileChange> changes = {
      {"content of the same size",
       [](const std::string& w) { return os::write_file(w + "/f", "two\n") ? 0 : -1; }},
      {"size", [](const std::string& w) { return ::truncate((w + "/f").c_str(), 1); }},
      {"mode", [](const std::string& w) { return ::chmod((w + "/f").c_str(), 0600); }},
      {"owner", [](const std::string& w) { return ::chown((w + "/f").c_str(), 7, gid_t(-1)); }},
      {"group", [](const std::string& w) { return ::chown((w + "/f").c_str(), uid_t(-1), 7); }},
      {"name",
       [](const std::string& w) { return ::rename((w + "/f").c_str(), (w + "/g").c_str()); }},
      {"a further name",
       [](const std::string& w) { return ::link((w + "/f").c_str(), (w + "/g").c_str()); }},
      {"removed", [](const std::string& w) { return ::unlink((w + "/f").c_str()); }},
      {"a new directory", [](const std::string& w) { return ::mkdir((w + "/n").c_str(), 0755); }},
      {"mode of a directory",
       [](const std::string& w) { return ::chmod((w + "/d").c_str(), 0700); }},
      {"attribute",
       [](const std::string& w) { return ::setxattr((w + "/f").c_str(), "user.a", "v", 1, 0); }},
      {"where a link points",
       [](const std::string& w) {
         return ::unlink((w + "/link").c_str()) | ::symlink("d", (w + "/link").c_str());
       }},
      {"type of the same name",
       [](const std::string& w) {
         return ::unlink((w + "/pipe").c_str()) |
                ::mknod((w + "/pipe").c_str(), S_IFSOCK | 0600, 0);
       }},
      {"removed from the base",
       [](const std::string& w) { return ::unlink((w + "/../etc/motd").c_str()); }},
  };
  for (const FileChange& change : changes) {
    SCOPED_TRACE(change.what);
    prepare();
    command("echo hello >/etc/motd");
    const std::string before = digest(true);
    const std::string w = target().root + "/w";
    ASSERT_EQ(digest(true), before);
    EXPECT_EQ(change.make(w), 0) << std::strerror(errno);
    EXPECT_NE(digest(true), before);
    ASSERT_TRUE(wp_->end(branch_).ok());
  }
}

TEST_F(DigestAspectsTest, NumbersOfADeviceChangeTheDigest) {
  prepare();
  const std::string path = target().root + "/w/device";
  ASSERT_EQ(::mknod(path.c_str(), S_IFCHR | 0600, makedev(1, 3)), 0);
  const std::string before = digest(true);
  ASSERT_EQ(::unlink(path.c_str()), 0);
  ASSERT_EQ(::mknod(path.c_str(), S_IFCHR | 0600, makedev(1, 5)), 0);
  EXPECT_NE(digest(true), before);
}

TEST_F(DigestAspectsTest, TimesOfFilesDoNotChangeTheDigest) {
  prepare();
  const std::string before = digest(true);
  const timespec times[2] = {{1'000'000'000, 0}, {1'000'000'001, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, (target().root + "/w/f").c_str(), times, 0), 0);
  EXPECT_EQ(digest(true), before);
}

}  // namespace
}  // namespace sf::waypoint
