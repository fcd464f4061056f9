#include "engine/native/ptrace/context_switch_counts.h"

#include <cstdlib>
#include <string_view>

#include "os/file.h"
#include "os/process.h"

namespace sf::waypoint::native {
namespace {

std::optional<std::string> value_of(const std::string& status, std::string_view key) {
  const std::size_t at = status.find(key);
  if (at == std::string::npos) return std::nullopt;
  const std::size_t begin = status.find_first_not_of("\t ", at + key.size());
  if (begin == std::string::npos) return std::nullopt;
  return status.substr(begin, status.find('\n', begin) - begin);
}

}  // namespace

std::optional<long> waits_in(const std::string& status) {
  auto state = value_of(status, "\nState:");
  auto waits = value_of(status, "\nvoluntary_ctxt_switches:");
  const bool is_waiting = state && std::string_view("StTZ").find((*state)[0]) != std::string::npos;
  if (!is_waiting || !waits) return std::nullopt;
  return std::atol(waits->c_str());
}

std::optional<ContextSwitchCounts> ContextSwitchCounts::of(pid_t root) {
  ContextSwitchCounts counts;
  for (const os::TreeMember& member : os::thread_tree(root)) {
    const std::string tasks = "/proc/" + std::to_string(member.pid) + "/task/";
    for (pid_t tid : member.threads) {
      auto status = os::read_file(tasks + std::to_string(tid) + "/status");
      auto waits = status ? waits_in(*status) : std::nullopt;
      if (!waits) return std::nullopt;
      counts.waits_[tid] = *waits;
    }
  }
  return counts;
}

bool ContextSwitchCounts::only_stopped_since(const ContextSwitchCounts& before) const {
  if (waits_.size() != before.waits_.size()) return false;
  for (const auto& [tid, waits] : waits_) {
    auto earlier = before.waits_.find(tid);
    if (earlier == before.waits_.end() || waits > earlier->second + 1) return false;
  }
  return true;
}

}  // namespace sf::waypoint::native
