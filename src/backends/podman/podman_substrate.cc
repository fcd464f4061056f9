#include "backends/podman/podman_substrate.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "agent/agent_location.h"
#include "backends/hosted/agent_connection.h"
#include "backends/hosted/root_archive.h"
#include "backends/hosted/tool_search.h"
#include "backends/hosted/unfinished_files.h"
#include "base/scope_exit.h"
#include "base/split.h"
#include "os/cgroup_thaw.h"
#include "os/directory_tree.h"
#include "os/file.h"

namespace sf::backends {

using control::Preserves;
using waypoint::BranchConfig;
using waypoint::Network;
using wire::Json;

namespace {

constexpr const char* kStates = "localhost/statefork/state";
constexpr const char* kRoots = "localhost/statefork/root";
constexpr const char* kGroup = "libpod-";  // prefix of podman's control groups
constexpr std::string_view kArchiveEnd = ".tar";

}  // namespace

Preserves PodmanSubstrate::preserves() const {
  return is_whole() ? Preserves::everything() : Preserves(Preserves::kFiles);
}

control::CostLine PodmanSubstrate::expected_cost() const {
  if (is_whole()) return {2'500, 350'000};
  return {0, 150'000};
}

Status PodmanSubstrate::check(const BranchConfig& config) const {
  if (config.root == "/")
    return fail(ErrorCode::kUnsupported, "a container cannot use the host's / as its root",
                "use an image (image:debian:12), or a directory with a root file system");
  if (is_whole() && config.network == Network::kHost)
    return fail(ErrorCode::kUnsupported, "podman cannot restore a container on the host's network",
                "use network none, or the podman-commit backend");
  return Ok{};
}

std::string PodmanSubstrate::archive(const std::string& state) const {
  return options_.directory + "/" + state + std::string(kArchiveEnd);
}

Result<std::string> PodmanSubstrate::image_of(const std::string& root) {
  if (root.starts_with(kImagePrefix)) return root.substr(kImagePrefix.size());
  SF_TRY_ASSIGN(std::string mark, root_mark(root));
  const std::string image = std::string(kRoots) + ":" + mark;
  std::lock_guard lock(import_mutex_);
  if (podman_.ask({"image", "exists", image})) return image;
  SF_TRY(os::make_directories(options_.directory));
  const std::string packed = options_.directory + "/" + mark + kDraftEnd;
  ScopeExit remove([&] { ::unlink(packed.c_str()); });
  SF_TRY(pack_root(root, packed));
  SF_TRY(podman_.run({"import", "--quiet", packed, image}));
  return image;
}

Result<std::string> PodmanSubstrate::engine() {
  SF_TRY_ASSIGN(std::string root, podman_.ask({"info", "--format", "{{.Store.GraphRoot}}"}));
  while (root.ends_with('\n')) root.pop_back();
  return "Podman with " + root;
}

Status PodmanSubstrate::start(const std::string& sandbox, const BranchConfig& config) {
  SF_TRY_ASSIGN(std::string image, image_of(config.root));
  return run(sandbox, image, config);
}

Status PodmanSubstrate::run(const std::string& sandbox, const std::string& image,
                            const BranchConfig& config) {
  std::vector<std::string> arguments = {
      "run", "--detach", "--name", sandbox, "--label",
      std::string(kOwnerLabel) + "=" + options_.owner, "--network",
      config.network == Network::kHost ? "host" : "none", "--pull", "never", "--image-volume",
      "ignore",
      // CRIU restores limits, and without CAP_SYS_RESOURCE a container cannot raise them.
      "--ulimit", "nofile=1024:4096", "--ulimit", "nproc=4096:4096", "--cap-add", "SYS_PTRACE",
      "--user", "0:0", "--workdir", "/", "--volume",
      options_.agent + ":" + agent::kAgentPath + ":ro", "--entrypoint",
      std::string("[\"") + agent::kAgentPath + "\",\"serve\"]"};
  auto add = [&](const std::string& option, const std::string& value) {
    arguments.insert(arguments.end(), {option, value});
  };
  if (config.network != Network::kHost) add("--hostname", config.hostname);
  for (const std::string& name : config.extra_capabilities) add("--cap-add", name);
  if (is_whole()) {
    SF_TRY_ASSIGN(std::string settings, criu_settings());
    add("--annotation", "org.criu.config=" + settings);
  }
  if (config.limits.memory_bytes) {
    add("--memory", std::to_string(*config.limits.memory_bytes) + "b");
    add("--memory-swap", std::to_string(*config.limits.memory_bytes) + "b");
  }
  if (config.limits.pids) add("--pids-limit", std::to_string(*config.limits.pids));
  if (config.limits.cpus) add("--cpus", std::to_string(*config.limits.cpus));
  arguments.push_back(image);
  if (is_whole()) {
    SF_TRY_ASSIGN(std::string directory, hooks());
    arguments.insert(arguments.begin(), {"--hooks-dir", directory});
  }
  SF_TRY(podman_.run(std::move(arguments)));
  return Ok{};
}

// A hook brings the loopback up, because podman leaves it down in a restored container.
Result<std::string> PodmanSubstrate::hooks() const {
  const std::string directory = options_.directory + "/hooks";
  std::lock_guard lock(settings_mutex_);
  SF_TRY(os::make_directories(directory));
  Json hook = {
      {"version", "1.0.0"},
      {"hook", {{"path", options_.agent}, {"args", {"statefork-agent", "raise-loopback"}}}},
      {"when", {{"always", true}}},
      {"stages", {"prestart"}}};
  SF_TRY(os::publish_file(directory + "/loopback.json", hook.dump()));
  return directory;
}

// Podman refuses to restore connections under another name, and CRIU refuses unnamed files above
// one megabyte. The container runtime reads this file itself and allows both.
Result<std::string> PodmanSubstrate::criu_settings() const {
  const std::string path = options_.directory + "/criu.conf";
  std::lock_guard lock(settings_mutex_);
  SF_TRY(os::make_directories(options_.directory));
  SF_TRY(os::publish_file(path, "tcp-established\nghost-limit 1073741824\n"));
  return path;
}

Result<pid_t> PodmanSubstrate::pid_of(const std::string& sandbox) {
  {
    std::lock_guard lock(mutex_);
    auto known = pids_.find(sandbox);
    if (known != pids_.end() && os::is_alive(known->second)) return known->second.pid;
  }
  SF_TRY_ASSIGN(std::string text, podman_.ask({"container", "inspect", "--format",
                                               "{{.State.Pid}} {{.State.Paused}}", sandbox}));
  auto key = os::process_key(std::atoi(text.c_str()));
  if (!key) return fail(ErrorCode::kNotFound, "the container has ended");
  // An earlier process may have been killed during a commit.
  if (text.find("true") != std::string::npos) SF_TRY(podman_.run({"unpause", sandbox}));
  std::lock_guard lock(mutex_);
  pids_[sandbox] = *key;
  return key->pid;
}

Result<os::UniqueFd> PodmanSubstrate::connect(const std::string& sandbox) {
  SF_TRY_ASSIGN(pid_t pid, pid_of(sandbox));
  // If podman was killed after it froze the container and before it recorded that, the container is
  // still frozen.
  SF_TRY(os::thaw(pid, kGroup));
  return connect_agent(pid);
}

Result<KeptState> PodmanSubstrate::keep(const std::string& sandbox, const std::string& state) {
  Stopwatch stopped;
  if (!is_whole()) {
    const std::string image = std::string(kStates) + ":" + state;
    // If it were stopped before its end, the container would stay frozen.
    auto committed = podman_.run_whole({"commit", "--quiet", "--pause", "--change",
                                        "LABEL " + std::string(kOwnerLabel) + "=" + options_.owner,
                                        sandbox, image});
    if (!committed) {
      (void)podman_.run({"unpause", sandbox});
      if (auto pid = pid_of(sandbox)) (void)os::thaw(*pid, kGroup);
      return std::move(committed).error();
    }
    KeptState kept{.stopped = stopped.elapsed()};
    SF_TRY_ASSIGN(kept.bytes, layer_bytes(image));
    return kept;
  }
  SF_TRY(check_stopped(sandbox));
  SF_TRY(os::make_directories(options_.directory));
  SF_TRY(podman_.run({"container", "checkpoint", "--leave-running", "--compress", "none",
                      "--file-locks", "--export", archive(state), sandbox}));
  KeptState kept{.stopped = stopped.elapsed()};
  struct stat file {};
  if (::stat(archive(state).c_str(), &file) == 0)
    kept.bytes = static_cast<std::uint64_t>(file.st_size);
  return kept;
}

// CRIU would wait forever for a process that is both stopped and frozen by the cgroup v1 freezer.
Status PodmanSubstrate::check_stopped(const std::string& sandbox) {
  if (!os::exists("/sys/fs/cgroup/freezer")) return Ok{};
  SF_TRY_ASSIGN(pid_t agent, pid_of(sandbox));
  for (pid_t pid : os::process_tree(agent)) {
    if (os::process_state(pid) != 'T') continue;
    return fail(ErrorCode::kUnsupported,
                "podman cannot capture a stopped process on this host: " + os::process_name(pid),
                "resume it (bg, kill -CONT), or use the waypoint backend");
  }
  return Ok{};
}

// The size of the last layer only.
Result<std::uint64_t> PodmanSubstrate::layer_bytes(const std::string& image) {
  SF_TRY_ASSIGN(std::string text, podman_.ask({"history", "--format", "json", image}));
  const Json layers = Json::parse(text, nullptr, false);
  if (!layers.is_array() || layers.empty() || !layers.front().contains("size") ||
      !layers.front()["size"].is_number())
    return fail(ErrorCode::kCorrupt, "podman does not report the size of " + image);
  return layers.front()["size"].get<std::uint64_t>();
}

Status PodmanSubstrate::revive(const std::string& state, const std::string& sandbox,
                               const BranchConfig& config) {
  if (!is_whole()) return run(sandbox, std::string(kStates) + ":" + state, config);
  SF_TRY_ASSIGN(std::string directory, hooks());
  SF_TRY(podman_.run({"--hooks-dir", directory, "container", "restore", "--file-locks", "--import",
                      archive(state), "--name", sandbox}));
  return Ok{};
}

Status PodmanSubstrate::end(const std::string& sandbox) {
  {
    std::lock_guard lock(mutex_);
    pids_.erase(sandbox);
  }
  auto ended = podman_.run({"rm", "--force", "--time", "0", "--ignore", "--volumes", sandbox});
  if (!ended && ended.error().code != ErrorCode::kNotFound) return std::move(ended).error();
  if (!is_whole()) prune();
  return Ok{};
}

Status PodmanSubstrate::remove(const std::string& state) {
  if (is_whole()) {
    (void)::unlink(archive(state).c_str());
    return Ok{};
  }
  // If other images are based on it, podman keeps the image without its name.
  auto removed = podman_.run({"untag", std::string(kStates) + ":" + state});
  if (!removed && removed.error().code != ErrorCode::kNotFound) return std::move(removed).error();
  prune();
  return Ok{};
}

// Removes unnamed images that no image or container uses any more.
void PodmanSubstrate::prune() {
  (void)podman_.run({"image", "prune", "--force", "--filter",
                     "label=" + std::string(kOwnerLabel) + "=" + options_.owner});
}

Result<std::vector<std::string>> PodmanSubstrate::sandboxes() {
  SF_TRY_ASSIGN(std::string text,
                podman_.ask({"ps", "--all", "--format", "{{.Names}}", "--filter",
                             "label=" + std::string(kOwnerLabel) + "=" + options_.owner}));
  std::vector<std::string> names;
  for (std::string& line : split(text, '\n')) {
    if (!line.empty()) names.push_back(std::move(line));
  }
  return names;
}

Result<std::vector<std::string>> PodmanSubstrate::states() {
  std::vector<std::string> names;
  if (is_whole()) {
    SF_TRY_ASSIGN(std::vector<std::string> files, names_in(options_.directory));
    for (const std::string& file : files) {
      if (file.ends_with(kArchiveEnd))
        names.push_back(file.substr(0, file.size() - kArchiveEnd.size()));
    }
    return names;
  }
  SF_TRY_ASSIGN(std::string text,
                podman_.ask({"images", "--format", "{{.Repository}}:{{.Tag}}", "--filter",
                             "label=" + std::string(kOwnerLabel) + "=" + options_.owner}));
  const std::string prefix = std::string(kStates) + ":";
  for (const std::string& line : split(text, '\n')) {
    if (line.starts_with(prefix)) names.push_back(line.substr(prefix.size()));
  }
  return names;
}

}  // namespace sf::backends
