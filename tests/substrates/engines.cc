#include "engines.h"

#include <fcntl.h>
#include <sys/mount.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <thread>

#include "os/file.h"
#include "os/socket.h"

namespace sf::test {
namespace {

constexpr auto kStartTime = seconds(60);
constexpr const char* kPath = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
constexpr auto kPodmanEndTime = seconds(30);

// Ends every podman and conmon with SIGKILL and returns how many it found. /proc lists processes by
// rising pid, so a process that is forked during the listing is found, too.
// Requires: this PID namespace is the test's own, so every podman in it belongs to the test.
std::size_t kill_podman_programs() {
  std::size_t found = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const pid_t pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 1) continue;  // 0: not a process
    const std::string name = os::process_name(pid);
    if (name != "podman" && name != "conmon") continue;
    (void)os::signal_process(pid, SIGKILL);
    ++found;
  }
  return found;
}

}  // namespace

Engines::Engines() {
  (void)os::write_file(dir_ / "storage.conf", "[storage]\ndriver = \"overlay\"\ngraphroot = \"" +
                                                  (dir_ / "podman") + "\"\nrunroot = \"" +
                                                  (dir_ / "podman-run") + "\"\n");
  (void)os::write_file(dir_ / "containers.conf",
                       "[engine]\nevents_logger = \"file\"\ntmp_dir = \"" + (dir_ / "podman-tmp") +
                           "\"\n[containers]\ncgroups = \"enabled\"\n");
}

Engines::~Engines() {
  unmount_podman_store();
  if (!dockerd_.running()) return;
  (void)dockerd_.signal(SIGTERM);
  (void)dockerd_.wait(Deadline::after(seconds(20)));
  // On private mounts dockerd bind-mounts this directory onto itself, and does not always undo
  // that.
  (void)::umount2((dir_ / "docker").c_str(), MNT_DETACH);
}

// Podman bind-mounts the store onto itself. After a container has ended, its conmon starts `podman
// container cleanup`, which mounts the store again, so those programs must end first.
void Engines::unmount_podman_store() const {
  const std::string store = dir_ / "podman/overlay";
  const Deadline deadline = Deadline::after(kPodmanEndTime);
  while (kill_podman_programs() > 0 && !deadline.passed()) {
    std::this_thread::sleep_for(milliseconds(5));
  }
  while (::umount2(store.c_str(), MNT_DETACH) == 0) continue;  // once per stacked mount
}

std::string Engines::root() {
  const char* set = std::getenv("STATEFORK_SMALL_ROOT");
  return set == nullptr ? "" : set;
}

backends::Tools Engines::tools() const {
  return {.docker_socket = dir_ / "docker.sock",
          .vm_accelerator = "tcg",  // works everywhere, and saves the time to probe for KVM
          .podman_config = dir_ / "containers.conf",
          .podman_storage_config = dir_ / "storage.conf"};
}

std::vector<std::string> Engines::environment() const {
  const backends::Tools all = tools();
  return {"DOCKER_HOST=unix://" + all.docker_socket,
          "STATEFORK_VM_ACCELERATOR=" + all.vm_accelerator, "CONTAINERS_CONF=" + all.podman_config,
          "CONTAINERS_STORAGE_CONF=" + all.podman_storage_config};
}

Status Engines::prepare(const std::string& backend) {
  if (backend == "docker" && !dockerd_.running()) return start_docker();
  return Ok{};
}

Status Engines::start_docker() {
  SF_TRY_ASSIGN(os::UniqueFd log, os::open_file(dir_ / "dockerd.log",
                                                O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  os::SpawnOptions options;
  // No bridge and no firewall rules, so the host's network is not changed.
  options.argv = {"/usr/sbin/dockerd",
                  "--host=unix://" + (dir_ / "docker.sock"),
                  "--data-root=" + (dir_ / "docker"),
                  "--exec-root=" + (dir_ / "docker-run"),
                  "--pidfile=" + (dir_ / "dockerd.pid"),
                  "--bridge=none",
                  "--iptables=false",
                  "--ip6tables=false",
                  "--storage-driver=overlay2"};
  options.env = {kPath, "HOME=/root"};
  options.pass_fds = {{log.get(), 1}, {log.get(), 2}};
  SF_TRY_ASSIGN(dockerd_, os::spawn(options));
  Deadline deadline = Deadline::after(kStartTime);
  while (!os::connect_unix(dir_ / "docker.sock")) {
    if (deadline.passed() || dockerd_.wait(Deadline::after(milliseconds(0)))) {
      auto said = os::read_file(dir_ / "dockerd.log");
      return fail(ErrorCode::kOs, "dockerd did not start: " + (said ? *said : ""));
    }
    std::this_thread::sleep_for(milliseconds(20));
  }
  return Ok{};
}

}  // namespace sf::test
