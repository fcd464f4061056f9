#include "process_search.h"

#include <unistd.h>

#include <thread>
#include <vector>

#include "os/file.h"
#include "os/process.h"

namespace sf::faults {

std::optional<pid_t> criu_of(pid_t keeper, CriuWork work) {
  for (pid_t child : os::children_of(keeper)) {
    std::string line = os::command_line(child);
    bool waits = line.find("criu swrk") != std::string::npos;
    bool works = line.find("--rpc") != std::string::npos;  // CRIU changes its own command line
    if (!waits && !works) continue;
    auto groups = os::read_file("/proc/" + std::to_string(child) + "/cgroup");
    bool restores = groups && groups->find("-engine") == std::string::npos;
    if (restores == (work == CriuWork::kRestore)) return child;
  }
  return std::nullopt;
}

std::optional<pid_t> init_of(pid_t keeper) {
  for (pid_t child : os::children_of(keeper)) {
    if (os::namespace_pid(child) == 1) return child;
  }
  return std::nullopt;
}

bool runs_in_branch_of(pid_t keeper, const std::string& name) {
  auto init = init_of(keeper);
  if (!init) return false;
  for (pid_t pid : os::process_tree(*init)) {
    if (os::process_name(pid) == name) return true;
  }
  return false;
}

std::set<pid_t> processes_like(const std::string& text) {
  std::set<pid_t> all;
  auto names = os::list_directory("/proc");
  for (const std::string& name : names ? *names : std::vector<std::string>{}) {
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    pid_t pid = static_cast<pid_t>(std::stol(name));
    if (os::command_line(pid).find(text) != std::string::npos) all.insert(pid);
  }
  return all;
}

std::set<pid_t> keepers_of(const std::string& store) {
  std::set<pid_t> all = processes_like("waypoint-keeper " + store);
  // The process from which a keeper clones init has the same command line, but does not lead a
  // session.
  std::erase_if(all, [](pid_t pid) { return ::getsid(pid) != pid; });
  return all;
}

std::set<pid_t> spare_keepers(const std::string& store) {
  std::set<pid_t> all = keepers_of(store);
  std::erase_if(all, [](pid_t pid) { return init_of(pid).has_value(); });
  return all;
}

bool becomes_true(const std::function<bool()>& condition, Deadline deadline) {
  while (!condition()) {
    if (deadline.passed()) return false;
    std::this_thread::sleep_for(milliseconds(1));
  }
  return true;
}

}  // namespace sf::faults
