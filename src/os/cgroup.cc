#include "os/cgroup.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <set>
#include <sstream>
#include <thread>

#include "base/scope_exit.h"
#include "base/split.h"
#include "os/error.h"
#include "os/fd.h"
#include "os/file.h"
#include "os/process.h"

namespace sf::os {
namespace {

constexpr const char* kParent = "/statefork";
constexpr int kPeriodUs = 100'000;

Status make_group(const std::string& path) {
  if (::mkdir(path.c_str(), 0755) != 0 && errno != EEXIST)
    return last_error("creating cgroup " + path);
  return Ok{};
}

// Does not create the file: a missing control file means that the control is not available.
Status write_control(const std::string& path, const std::string& value) {
  SF_TRY_ASSIGN(UniqueFd file, open_file(path, O_WRONLY));
  Status written = write_all(file.get(), value);
  if (!written) return std::move(written).error().while_doing("writing " + value + " to " + path);
  return Ok{};
}

// The mount point of the hierarchy that has the controller; empty if none has it.
std::string home_of(const CgroupLayout& layout, const std::string& controller) {
  if (auto found = layout.v1.find(controller); found != layout.v1.end()) return found->second;
  bool in_v2 =
      std::ranges::find(layout.unified_controllers, controller) != layout.unified_controllers.end();
  return in_v2 ? layout.unified : std::string();
}

Error cannot_limit(const std::string& controller, const std::string& why) {
  return fail(ErrorCode::kUnsupported, "this host cannot limit " + controller + ": " + why,
              "leave the limit out, or run where the controller is delegated (`statefork doctor` "
              "shows which are)");
}

// In the v2 tree, a controller must be enabled at each level above the group.
Status hand_down(const std::string& mount, const std::string& controller) {
  SF_TRY(write_control(mount + "/cgroup.subtree_control", "+" + controller));
  return write_control(mount + kParent + "/cgroup.subtree_control", "+" + controller);
}

Status apply(const CgroupLayout& layout, const std::string& name, const LimitSetting& limit) {
  std::string home = home_of(layout, limit.controller);
  if (home.empty())
    return cannot_limit(limit.controller, "there is no " + limit.controller + " cgroup controller");
  Status handed = Ok{};
  if (!layout.v1.contains(limit.controller)) handed = hand_down(home, limit.controller);
  std::string file = home + kParent + "/" + name + "/" + limit.file;
  if (!exists(file)) {
    // The kernel refuses to enable a controller for the child groups of a group that contains
    // processes, such as the top group of a container.
    return cannot_limit(limit.controller,
                        handed ? "there is no " + limit.file
                               : "the " + limit.controller +
                                     " controller is not delegated: " + handed.error().message);
  }
  return write_control(file, limit.value);
}

std::set<std::string> hierarchies(const CgroupLayout& layout) {
  std::set<std::string> mounts;
  for (const char* controller : {"memory", "pids", "cpu"}) {
    if (std::string home = home_of(layout, controller); !home.empty()) mounts.insert(home);
  }
  if (!layout.unified.empty()) mounts.insert(layout.unified);
  return mounts;
}

}  // namespace

bool CgroupLayout::can_limit(const std::string& controller) const {
  return !home_of(*this, controller).empty();
}

CgroupLayout parse_cgroup_mounts(const std::string& mountinfo) {
  CgroupLayout layout;
  for (const std::string& line : split(mountinfo, '\n')) {
    std::size_t dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    std::vector<std::string> left = split(line.substr(0, dash), ' ');
    std::vector<std::string> right = split(line.substr(dash + 3), ' ');
    if (left.size() < 5 || right.size() < 3) continue;
    const std::string& mount_point = left[4];
    if (right[0] == "cgroup2" && layout.unified.empty()) layout.unified = mount_point;
    if (right[0] != "cgroup") continue;
    for (const std::string& option : split(right[2], ',')) {
      if (option == "memory" || option == "pids" || option == "cpu")
        layout.v1.try_emplace(option, mount_point);
    }
  }
  return layout;
}

CgroupLayout read_cgroup_layout() {
  auto mountinfo = read_file("/proc/self/mountinfo");
  if (!mountinfo) return {};
  CgroupLayout layout = parse_cgroup_mounts(*mountinfo);
  if (layout.unified.empty()) return layout;
  auto controllers = read_file(layout.unified + "/cgroup.controllers");
  if (!controllers) return layout;
  while (!controllers->empty() && controllers->back() == '\n') controllers->pop_back();
  layout.unified_controllers = split(*controllers, ' ');
  return layout;
}

std::vector<LimitSetting> limit_settings(const CgroupLayout& layout, const CgroupLimits& limits) {
  std::vector<LimitSetting> settings;
  if (limits.memory_bytes)
    settings.push_back({"memory",
                        layout.v1.contains("memory") ? "memory.limit_in_bytes" : "memory.max",
                        std::to_string(*limits.memory_bytes)});
  if (limits.pids) settings.push_back({"pids", "pids.max", std::to_string(*limits.pids)});
  if (limits.cpus) {
    auto quota = std::to_string(static_cast<long long>(*limits.cpus * kPeriodUs));
    settings.push_back(
        layout.v1.contains("cpu")
            ? LimitSetting{"cpu", "cpu.cfs_quota_us", quota}
            : LimitSetting{"cpu", "cpu.max", quota + " " + std::to_string(kPeriodUs)});
  }
  return settings;
}

Result<Cgroup> Cgroup::create(const CgroupLayout& layout, const std::string& name,
                              const CgroupLimits& limits) {
  Cgroup group;
  ScopeExit undo([&] { (void)group.remove(Deadline::after(seconds(1))); });
  for (const std::string& mount : hierarchies(layout)) {
    SF_TRY(make_group(mount + kParent));
    SF_TRY(make_group(mount + kParent + "/" + name));
    group.directories_.push_back(mount + kParent + "/" + name);
  }
  for (const LimitSetting& limit : limit_settings(layout, limits))
    SF_TRY(apply(layout, name, limit));
  undo.dismiss();
  return group;
}

Cgroup Cgroup::find(const CgroupLayout& layout, const std::string& name) {
  Cgroup group;
  for (const std::string& mount : hierarchies(layout)) {
    std::string path = mount + kParent + "/" + name;
    if (is_directory(path)) group.directories_.push_back(path);
  }
  return group;
}

std::vector<std::string> Cgroup::list(const CgroupLayout& layout) {
  std::set<std::string> names;
  for (const std::string& mount : hierarchies(layout)) {
    auto entries = list_directory(mount + kParent);
    if (!entries) continue;
    for (const std::string& entry : *entries) {
      if (is_directory(mount + kParent + "/" + entry)) names.insert(entry);
    }
  }
  return {names.begin(), names.end()};
}

std::vector<std::string> Cgroup::procs_files() const {
  std::vector<std::string> files;
  for (const std::string& directory : directories_) files.push_back(directory + "/cgroup.procs");
  return files;
}

std::vector<pid_t> Cgroup::processes() const {
  std::set<pid_t> pids;
  for (const std::string& file : procs_files()) {
    auto text = read_file(file);
    if (!text) continue;
    std::istringstream stream(*text);
    // The kernel shows 0 for a process of another PID namespace.
    for (pid_t pid = 0; stream >> pid;) {
      if (pid > 0) pids.insert(pid);
    }
  }
  return {pids.begin(), pids.end()};
}

Status Cgroup::remove(Deadline deadline) const {
  for (;;) {
    for (const std::string& directory : directories_)
      (void)write_control(directory + "/cgroup.kill", "1");
    for (pid_t pid : processes()) (void)signal_process(pid, SIGKILL);
    bool left = false;
    for (const std::string& directory : directories_) {
      if (::rmdir(directory.c_str()) != 0 && errno != ENOENT) left = true;
    }
    if (!left) break;
    if (deadline.passed())
      return fail(ErrorCode::kBusy, "cgroup " + directories_.front() + " still has processes");
    // The kernel empties a group some time after its processes were reaped. cgroup v1 offers no
    // event for that, so poll.
    std::this_thread::sleep_for(milliseconds(1));
  }
  for (const std::string& directory : directories_)
    ::rmdir(directory.substr(0, directory.rfind('/')).c_str());
  return Ok{};
}

}  // namespace sf::os
