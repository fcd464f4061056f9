#include "copied_root.h"

#include <signal.h>

#include <cstdlib>
#include <thread>

#include "backends/hosted/agent_connection.h"
#include "os/directory_tree.h"
#include "os/error.h"
#include "os/file.h"
#include "os/process.h"
#include "os/run_program.h"

namespace sf::examples {

using waypoint::BranchConfig;

namespace {

// $0: file for the pid.
constexpr const char* kBegin = R"(
setsid unshare --mount --propagation private --pid --net --ipc --uts --fork \
  sh -c "$@" </dev/null >/dev/null 2>&1 &
echo $! >"$0.draft" && mv "$0.draft" "$0"
)";

// $1: root, $2: agent, $3: host name. The last line makes the agent PID 1 of the new namespace.
constexpr const char* kEnter = R"(
set -e
mount -t proc proc "$1/proc"
mount -t tmpfs -o mode=755 tmpfs "$1/dev"
mkdir "$1/dev/pts" "$1/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666,mode=0620 devpts "$1/dev/pts"
for device in null zero full random urandom tty; do cp -a "/dev/$device" "$1/dev/"; done
ln -s pts/ptmx "$1/dev/ptmx"
ln -s /proc/self/fd "$1/dev/fd"
cp "$2" "$1/dev/.statefork-agent"
hostname "$3"
ip link set lo up
exec chroot "$1" /dev/.statefork-agent serve
)";

}  // namespace

Status CopiedRoot::check(const BranchConfig& config) const {
  if (config.root == "/")
    return fail(ErrorCode::kUnsupported, "the host's own / is too large to copy",
                "use a directory with a root file system");
  if (config.network != waypoint::Network::kNone || config.limits.memory_bytes ||
      config.limits.pids || config.limits.cpus || !config.extra_capabilities.empty())
    return fail(ErrorCode::kUnsupported, "this backend supports neither networks nor limits",
                "remove these options");
  return Ok{};
}

Status CopiedRoot::start(const std::string& sandbox, const BranchConfig& config) {
  SF_TRY(os::make_directories(sandbox_dir(sandbox)));
  SF_TRY(os::copy_tree(config.root, sandbox_dir(sandbox) + "/root"));
  return run(sandbox, config);
}

Status CopiedRoot::revive(const std::string& state, const std::string& sandbox,
                          const BranchConfig& config) {
  SF_TRY(os::make_directories(sandbox_dir(sandbox)));
  SF_TRY(os::copy_tree(state_dir(state), sandbox_dir(sandbox) + "/root"));
  return run(sandbox, config);
}

// Sandboxes outlive the daemon, so each gets a session of its own. `unshare` remains the parent of
// the agent; its pid is recorded and leads to the agent.
Status CopiedRoot::run(const std::string& sandbox, const BranchConfig& config) {
  SF_TRY_ASSIGN(os::ProgramOutput begun,
                os::run_program({"/bin/sh", "-c", kBegin, sandbox_dir(sandbox) + "/pid", kEnter,
                                 "enter", sandbox_dir(sandbox) + "/root", agent_, config.hostname},
                                Deadline::after(seconds(30)),
                                {.env = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin"}}));
  if (!begun.succeeded()) return fail(ErrorCode::kOs, "cannot start the sandbox: " + begun.text);
  return Ok{};
}

Result<pid_t> CopiedRoot::agent_of(const std::string& sandbox) const {
  SF_TRY_ASSIGN(std::string text, os::read_file(sandbox_dir(sandbox) + "/pid"));
  pid_t parent = std::atoi(text.c_str());
  std::vector<pid_t> children = os::children_of(parent);
  if (!children.empty()) return children.front();
  char state = os::process_state(parent);
  if (state == 0 || state == 'Z') return fail(ErrorCode::kNotFound, "the sandbox has ended");
  return fail(ErrorCode::kBusy, "the sandbox is starting or ending");
}

Result<os::UniqueFd> CopiedRoot::connect(const std::string& sandbox) {
  SF_TRY_ASSIGN(pid_t agent, agent_of(sandbox));
  return backends::connect_agent(agent);
}

Result<backends::KeptState> CopiedRoot::keep(const std::string& sandbox, const std::string& state) {
  SF_TRY(os::make_directories(directory_ + "/states"));
  const std::string draft = state_dir(state) + ".draft";
  SF_TRY(os::copy_tree(sandbox_dir(sandbox) + "/root", draft));
  SF_TRY(os::rename_path(draft, state_dir(state)));
  return backends::KeptState{.bytes = os::tree_bytes(state_dir(state))};
}

Status CopiedRoot::end(const std::string& sandbox) {
  for (;;) {
    auto agent = agent_of(sandbox);
    if (!agent && agent.error().code == ErrorCode::kNotFound) break;
    if (agent)
      (void)os::signal_process(*agent, SIGKILL);  // ends all processes of its PID namespace
    std::this_thread::sleep_for(milliseconds(1));
  }
  return os::remove_tree(sandbox_dir(sandbox));
}

Status CopiedRoot::remove(const std::string& state) {
  SF_TRY(os::remove_tree(state_dir(state) + ".draft"));
  return os::remove_tree(state_dir(state));
}

Result<std::vector<std::string>> CopiedRoot::names_in(const std::string& room) const {
  if (!os::exists(directory_ + "/" + room)) return std::vector<std::string>();
  return os::list_directory(directory_ + "/" + room);
}

}  // namespace sf::examples
