#include "backends/branch_processes.h"

#include <cstdlib>

#include "os/file.h"

namespace sf::backends {
namespace {

std::string status_of(pid_t pid) {
  auto text = os::read_file("/proc/" + std::to_string(pid) + "/status");
  return text ? *text : std::string();
}

std::uint64_t kilobytes(const std::string& status, const std::string& field) {
  std::size_t at = status.find("\n" + field + ":");
  return at == std::string::npos
             ? 0
             : std::strtoull(status.c_str() + at + field.size() + 2, nullptr, 10) * 1024;
}

}  // namespace

bool is_running(pid_t pid) {
  const char state = os::process_state(pid);
  return state != '\0' && state != 'Z' && state != 'X';
}

ProcessSet all_processes(pid_t init) {
  ProcessSet found;
  for (pid_t pid : os::process_tree(init)) {
    if (auto key = os::process_key(pid)) found.emplace(key->pid, key->start_time);
  }
  return found;
}

std::vector<pid_t> background_processes(const waypoint::BranchPids& pids) {
  std::vector<pid_t> found;
  for (pid_t pid : os::process_tree(pids.init)) {
    bool always = pid == pids.init || pid == pids.shell || pid == pids.holder;
    if (!always && is_running(pid)) found.push_back(pid);
  }
  return found;
}

// Pages of mapped files are left out: they come back from the files.
control::BranchFacts branch_facts(const waypoint::BranchPids& pids) {
  control::BranchFacts facts;
  for (pid_t pid : os::process_tree(pids.init)) {
    std::string status = status_of(pid);
    facts.resident_bytes += kilobytes(status, "RssAnon") + kilobytes(status, "RssShmem");
  }
  facts.background_processes = static_cast<std::uint32_t>(background_processes(pids).size());
  facts.at_prompt = pids.at_prompt;
  return facts;
}

}  // namespace sf::backends
