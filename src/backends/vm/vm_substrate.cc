#include "backends/vm/vm_substrate.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "backends/hosted/root_archive.h"
#include "backends/hosted/tool_search.h"
#include "backends/hosted/unfinished_files.h"
#include "backends/vm/cpio_archive.h"
#include "base/scope_exit.h"
#include "os/directory_tree.h"
#include "os/error.h"
#include "os/file.h"
#include "os/process.h"
#include "os/run_program.h"
#include "os/socket.h"

namespace sf::backends {

using waypoint::BranchConfig;
using waypoint::Network;
using wire::Json;

namespace {

constexpr auto kTimeout = std::chrono::minutes(10);
constexpr auto kTryTime = seconds(15);
constexpr auto kShortTime = seconds(5);
constexpr auto kSaveTime = seconds(60);  // of a snapshot that has no caller any more
constexpr std::uint64_t kMemory = 1ULL << 30U;
constexpr std::uint64_t kFreeDisk = 8ULL << 30U;  // in addition to the root's files; sparse
constexpr auto kQuitTime = seconds(5);            // to end after a request, then after a kill
constexpr std::size_t kLastWords = 500;
constexpr std::size_t kMaxConsole = 16U << 20U;
constexpr const char* kAgentSays = "statefork-agent: ";
constexpr std::size_t kMaxProgram = 256U << 20U;
constexpr std::string_view kStateEnd = ".qcow2";
constexpr const char* kSnapshot = "state";  // name of the snapshot in the file

std::uint64_t size_of(const std::string& path) {
  struct stat file {};
  return ::stat(path.c_str(), &file) == 0 ? static_cast<std::uint64_t>(file.st_blocks) * 512 : 0;
}

// Quotes a value for QEMU's option syntax: a comma is doubled.
std::string option_value(const std::string& text) {
  std::string value;
  for (char c : text) value += c == ',' ? std::string(",,") : std::string(1, c);
  return value;
}

// The agent's error, which precedes the kernel's panic; otherwise the end of the console.
std::string end_of(const std::string& console) {
  auto text = os::read_file(console, kMaxConsole);
  if (!text || text->empty()) return "no output";
  const std::size_t said = text->rfind(kAgentSays);
  if (said != std::string::npos) return text->substr(said, text->find('\n', said) - said);
  return text->substr(text->size() - std::min(text->size(), kLastWords));
}

}  // namespace

Status VmSubstrate::check(const BranchConfig& config) const {
  if (config.root == "/" || config.root.starts_with(kImagePrefix))
    return fail(ErrorCode::kUnsupported, "a virtual machine needs a directory as its root",
                "use a directory with a root file system");
  if (config.network != Network::kNone)
    return fail(ErrorCode::kUnsupported, "the vm backend supports only a loopback network",
                "use network none");
  if (config.limits.pids)
    return fail(ErrorCode::kUnsupported, "the vm backend cannot limit processes",
                "remove this limit");
  const double processors = config.limits.cpus.value_or(1.0);
  if (processors != std::floor(processors))
    return fail(ErrorCode::kUnsupported, "a virtual machine needs a whole number of processors",
                "use a whole number of cpus");
  if (!config.extra_capabilities.empty())
    return fail(ErrorCode::kUnsupported, "root in a virtual machine has all capabilities",
                "remove the extra capabilities");
  return Ok{};
}

Status VmSubstrate::run(const std::vector<std::string>& argv) const {
  SF_TRY_ASSIGN(os::ProgramOutput done, os::run_program(argv, Deadline::after(kTimeout)));
  if (done.succeeded()) return Ok{};
  return fail(ErrorCode::kOs, argv.front() + ": " + done.text);
}

// A read-only disk. Every sandbox stores its changes in its own file over it.
Result<std::string> VmSubstrate::disk_of(const std::string& root) {
  SF_TRY_ASSIGN(std::string mark, root_mark(root));
  const std::string disk = options_.directory + "/roots/" + mark + ".ext4";
  if (os::exists(disk)) return disk;
  std::lock_guard lock(disk_mutex_);
  if (os::exists(disk)) return disk;
  SF_TRY(os::make_directories(options_.directory + "/roots"));
  const std::string draft = disk + kDraftEnd;
  ScopeExit remove([&] { ::unlink(draft.c_str()); });
  const std::uint64_t megabytes = (os::tree_bytes(root) * 3 / 2 + kFreeDisk) >> 20U;
  SF_TRY(run({options_.mke2fs, "-q", "-F", "-t", "ext4", "-d", root, "-E",
              "lazy_itable_init=1,lazy_journal_init=1", draft, std::to_string(megabytes) + "M"}));
  SF_TRY(os::rename_path(draft, disk));
  remove.dismiss();
  return disk;
}

VmSubstrate::VmSubstrate(VmOptions options) : options_(std::move(options)) {
  remove_drafts(options_.directory + "/roots");
}

// Each daemon makes it once: running machines have read theirs, and new ones need its programs.
Result<std::string> VmSubstrate::initial_disk() {
  std::lock_guard lock(initial_mutex_);
  const std::string path = options_.directory + "/initrd";
  if (has_initial_disk_) return path;
  SF_TRY(os::make_directories(options_.directory));
  CpioArchive archive;
  SF_TRY_ASSIGN(std::string program, os::read_file(options_.agent, kMaxProgram));
  archive.add_program("init", program);
  archive.add_directory("dev");
  archive.add_directory("modules");
  SF_TRY_ASSIGN(std::vector<std::string> names, os::list_directory(options_.modules));
  for (const std::string& name : names) {
    SF_TRY_ASSIGN(std::string module, os::read_file(options_.modules + "/" + name, kMaxProgram));
    archive.add_program("modules/" + name, module);
  }
  SF_TRY(os::publish_file(path, std::move(archive).finish()));
  has_initial_disk_ = true;
  return path;
}

Result<std::string> VmSubstrate::accelerator() {
  if (!options_.accelerator.empty()) return options_.accelerator;
  if (::access("/dev/kvm", R_OK | W_OK) != 0) return std::string("tcg");
  std::lock_guard lock(try_mutex_);
  // The result depends on the kernel and on QEMU.
  struct stat program {};
  if (::stat(options_.qemu.c_str(), &program) != 0)
    return os::last_error("looking at " + options_.qemu);
  SF_TRY_ASSIGN(std::string boot, os::read_file("/proc/sys/kernel/random/boot_id"));
  const std::string about = boot + std::to_string(program.st_mtim.tv_sec) + "\n";
  const std::string found = options_.directory + "/accelerator";
  auto known = os::read_file(found);
  if (known && known->starts_with(about)) return known->substr(about.size());
  SF_TRY_ASSIGN(std::string initial, initial_disk());
  auto tried =
      os::run_program({options_.qemu, "-accel", "kvm", "-m", "256", "-nodefaults", "-display",
                       "none", "-no-reboot", "-kernel", options_.kernel, "-initrd", initial,
                       "-append", "quiet panic=-1 rdinit=/init -- power-off"},
                      Deadline::after(kTryTime));
  std::string works = tried && tried->succeeded() ? "kvm" : "tcg";
  SF_TRY(os::publish_file(found, about + works));
  return works;
}

Status VmSubstrate::boot(const std::string& sandbox, const BranchConfig& config,
                         const std::vector<std::string>& more) {
  SF_TRY_ASSIGN(std::string how, accelerator());
  SF_TRY_ASSIGN(std::string initial, initial_disk());
  const std::uint64_t memory = config.limits.memory_bytes.value_or(kMemory) >> 20U;
  const auto processors = static_cast<int>(config.limits.cpus.value_or(1.0));
  std::vector<std::string> argv = {
      options_.qemu, "-accel", how, "-m", std::to_string(memory), "-smp",
      std::to_string(processors), "-nodefaults", "-no-user-config", "-display", "none",
      "-no-reboot", "-kernel", options_.kernel, "-initrd", initial, "-append",
      "console=ttyS0 quiet panic=-1 rdinit=/init -- boot",
      // Unsafe: if the host crashes, the machine's memory is lost anyway.
      "-drive",
      "file=" + option_value(sandbox_file(sandbox, "disk.qcow2")) +
          ",if=none,id=disk,format=qcow2,cache=unsafe",
      "-device", "virtio-blk-pci,drive=disk", "-device", "virtio-serial-pci", "-chardev",
      "socket,id=agent,server=on,wait=off,path=" + option_value(sandbox_file(sandbox, "a")),
      "-device", "virtserialport,chardev=agent,name=statefork", "-serial",
      "file:" + sandbox_file(sandbox, "console.log"), "-qmp",
      "unix:" + option_value(sandbox_file(sandbox, "q")) + ",server=on,wait=off", "-pidfile",
      sandbox_file(sandbox, "pid"), "-daemonize"};
  argv.insert(argv.end(), more.begin(), more.end());
  Status started = run(argv);
  if (!started) return std::move(started).error().while_doing("starting the machine");
  return Ok{};
}

Status VmSubstrate::start(const std::string& sandbox, const BranchConfig& config) {
  SF_TRY_ASSIGN(std::string disk, disk_of(config.root));
  SF_TRY(os::make_directories(options_.directory + "/boxes/" + sandbox));
  SF_TRY(run({options_.qemu_img, "create", "-q", "-f", "qcow2", "-b", disk, "-F", "raw",
              sandbox_file(sandbox, "disk.qcow2")}));
  return boot(sandbox, config, {});
}

Error VmSubstrate::unreachable(const std::string& sandbox, Error why) const {
  if (why.os_errno == ENOENT || why.os_errno == ECONNREFUSED)
    return {.code = ErrorCode::kNotFound,
            .message = "the machine has ended; its console: " +
                       end_of(sandbox_file(sandbox, "console.log"))};
  return why;
}

// An earlier process may have been killed while the machine was stopped for a snapshot. QEMU does
// not answer until the snapshot is written, and the guest does not run until then.
Status VmSubstrate::resume(const std::string& sandbox) const {
  const Deadline deadline = Deadline::after(kSaveTime);
  auto qmp = Qmp::connect(sandbox_file(sandbox, "q"), deadline);
  if (!qmp && qmp.error().code == ErrorCode::kTimedOut)
    return fail(ErrorCode::kBusy, "the machine is still being saved", "try again in a minute");
  if (!qmp) return unreachable(sandbox, std::move(qmp).error());
  SF_TRY(qmp->command("cont", Json::object(), deadline));
  return Ok{};
}

Result<os::UniqueFd> VmSubstrate::connect(const std::string& sandbox) {
  auto way = links_.at(sandbox);
  std::lock_guard lock(way->mutex);
  if (!way->value || way->value->ended()) {
    way->value.reset();
    SF_TRY(resume(sandbox));
    auto stream = os::connect_unix(sandbox_file(sandbox, "a"), Deadline::after(kShortTime));
    if (!stream) return unreachable(sandbox, std::move(stream).error());
    os::UniqueFd out(::fcntl(stream->get(), F_DUPFD_CLOEXEC, 0));
    if (!out.valid()) return os::last_error("duplicating a descriptor");
    SF_TRY_ASSIGN(way->value, MuxLink::start(std::move(*stream), std::move(out)));
  }
  return way->value->connect();
}

Result<KeptState> VmSubstrate::keep(const std::string& sandbox, const std::string& state) {
  const Deadline deadline = Deadline::after(kTimeout);
  SF_TRY(os::make_directories(options_.directory + "/states"));
  SF_TRY_ASSIGN(Qmp qmp, Qmp::connect(sandbox_file(sandbox, "q"), deadline));
  Stopwatch stopped;
  SF_TRY(qmp.command("stop", Json::object(), deadline));
  ScopeExit resume([&] { (void)qmp.command("cont", Json::object(), deadline); });
  SF_TRY(qmp.person_command(std::string("savevm ") + kSnapshot, deadline));
  // The machine is stopped, and its writes are in the file.
  Status copied = run({"/bin/cp", "--sparse=always", "--reflink=auto",
                       sandbox_file(sandbox, "disk.qcow2"), state_file(state)});
  (void)qmp.person_command(std::string("delvm ") + kSnapshot, deadline);
  SF_TRY(copied);
  return KeptState{.bytes = size_of(state_file(state)), .stopped = stopped.elapsed()};
}

Status VmSubstrate::revive(const std::string& state, const std::string& sandbox,
                           const BranchConfig& config) {
  if (!os::exists(state_file(state)))
    return fail(ErrorCode::kNotFound, "the state " + state + " does not exist");
  SF_TRY(os::make_directories(options_.directory + "/boxes/" + sandbox));
  SF_TRY(run({"/bin/cp", "--sparse=always", "--reflink=auto", state_file(state),
              sandbox_file(sandbox, "disk.qcow2")}));
  SF_TRY(boot(sandbox, config, {"-loadvm", kSnapshot}));
  const Deadline deadline = Deadline::after(kTimeout);
  SF_TRY_ASSIGN(Qmp qmp, Qmp::connect(sandbox_file(sandbox, "q"), deadline));
  SF_TRY(qmp.command("cont", Json::object(), deadline));
  return Ok{};
}

Status VmSubstrate::end(const std::string& sandbox) {
  links_.erase(sandbox);
  const std::string directory = options_.directory + "/boxes/" + sandbox;
  if (!os::exists(directory)) return Ok{};
  if (auto qmp = Qmp::connect(sandbox_file(sandbox, "q"), Deadline::after(kQuitTime)))
    (void)qmp->command("quit", Json::object(), Deadline::after(kQuitTime));
  auto pid_text = os::read_file(sandbox_file(sandbox, "pid"));
  SF_TRY(wait_for_end(pid_text ? std::atoi(pid_text->c_str()) : 0, directory));
  return os::remove_tree(directory);
}

// Checks the command line, which names the machine's directory, because pids are reused.
Status VmSubstrate::wait_for_end(pid_t pid, const std::string& directory) {
  if (pid <= 0) return Ok{};
  os::UniqueFd machine(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!machine.valid() || os::command_line(pid).find(directory) == std::string::npos) return Ok{};
  SF_TRY_ASSIGN(bool ended, os::wait_readable(machine.get(), Deadline::after(kQuitTime)));
  if (ended) return Ok{};
  (void)::syscall(SYS_pidfd_send_signal, machine.get(), SIGKILL, nullptr, 0);
  SF_TRY_ASSIGN(ended, os::wait_readable(machine.get(), Deadline::after(kQuitTime)));
  if (ended) return Ok{};
  return fail(ErrorCode::kBusy, "QEMU (pid " + std::to_string(pid) + ") does not end",
              "try again; it may be waiting for a disk of the host");
}

Status VmSubstrate::remove(const std::string& state) {
  (void)::unlink(state_file(state).c_str());
  return Ok{};
}

Result<std::vector<std::string>> VmSubstrate::sandboxes() {
  return names_in(options_.directory + "/boxes");
}

Result<std::vector<std::string>> VmSubstrate::states() {
  SF_TRY_ASSIGN(std::vector<std::string> files, names_in(options_.directory + "/states"));
  std::vector<std::string> names;
  for (const std::string& file : files) {
    if (file.ends_with(kStateEnd)) names.push_back(file.substr(0, file.size() - kStateEnd.size()));
  }
  return names;
}

}  // namespace sf::backends
