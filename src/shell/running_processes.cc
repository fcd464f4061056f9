#include "shell/running_processes.h"

#include <cstdlib>
#include <string>

#include "os/file.h"
#include "os/process.h"

namespace sf::waypoint {
namespace {

std::uint64_t bytes_in_status(const std::string& status, const std::string& field) {
  const std::size_t at = status.find("\n" + field + ":");
  if (at == std::string::npos) return 0;
  return std::strtoull(status.c_str() + at + field.size() + 2, nullptr, 10) * 1024;
}

bool has_not_ended(pid_t pid) {
  const char state = os::process_state(pid);
  return state != '\0' && state != 'Z' && state != 'X';
}

}  // namespace

std::vector<pid_t> background_processes(const OwnProcesses& own) {
  std::vector<pid_t> found;
  for (pid_t pid : os::process_tree(own.init)) {
    if (!own.contains(pid) && has_not_ended(pid)) found.push_back(pid);
  }
  return found;
}

ProcessSet with_start_times(const std::vector<pid_t>& processes) {
  ProcessSet set;
  for (pid_t pid : processes) {
    if (auto key = os::process_key(pid)) set.emplace(key->pid, key->start_time);
  }
  return set;
}

BranchFacts count_processes(const OwnProcesses& own) {
  BranchFacts facts;
  for (pid_t pid : os::process_tree(own.init)) {
    auto status = os::read_file("/proc/" + std::to_string(pid) + "/status");
    if (!status) continue;
    facts.resident_bytes +=
        bytes_in_status(*status, "RssAnon") + bytes_in_status(*status, "RssShmem");
    constexpr std::string_view kState = "\nState:\t";
    const std::size_t at = status->find(kState);
    const char state = at == std::string::npos ? 'X' : (*status)[at + kState.size()];
    if (!own.contains(pid) && state != 'Z' && state != 'X') facts.background_processes += 1;
  }
  return facts;
}

}  // namespace sf::waypoint
