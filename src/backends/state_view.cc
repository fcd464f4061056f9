#include "backends/state_view.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "backends/listening_ports.h"
#include "os/file.h"
#include "os/process.h"
#include "shell/running_processes.h"

namespace sf::backends {
namespace {

using control::DiffKind;
using control::DiffSubject;
using control::StateDiff;
using control::StateDifference;

constexpr std::size_t kMaxDifferences = 1000;  // per subject
constexpr std::size_t kMaxLine = 500;
constexpr std::size_t kMaxTable = 16U << 20U;

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  if (text.size() > kMaxLine) text = text.substr(0, kMaxLine) + "...";
  return text;
}

template <typename Set>
void compare_sets(const Set& from, const Set& to, DiffSubject subject, StateDiff& diff) {
  auto add = [&](const Set& a, const Set& b, DiffKind kind) {
    std::vector<std::string> only;
    std::ranges::set_difference(a, b, std::back_inserter(only));
    if (only.size() > kMaxDifferences) diff.truncated = true;
    only.resize(std::min(only.size(), kMaxDifferences));
    for (std::string& name : only)
      diff.differences.push_back(
          {.subject = subject, .kind = kind, .name = one_line(std::move(name))});
  };
  add(from, to, DiffKind::kRemoved);
  add(to, from, DiffKind::kAdded);
}

void compare_environments(const std::map<std::string, std::string>& from,
                          const std::map<std::string, std::string>& to, StateDiff& diff) {
  std::set<std::string> names;
  for (const auto* side : {&from, &to}) {
    for (const auto& [name, value] : *side) names.insert(name);
  }
  for (const std::string& name : names) {
    auto a = from.find(name);
    auto b = to.find(name);
    StateDifference difference{.subject = DiffSubject::kEnvironment, .name = one_line(name)};
    if (a == from.end()) difference.kind = DiffKind::kAdded;
    if (b == to.end()) difference.kind = DiffKind::kRemoved;
    if (a != from.end()) difference.before = one_line(a->second);
    if (b != to.end()) difference.after = one_line(b->second);
    if (a != from.end() && b != to.end() && a->second == b->second) continue;
    diff.differences.push_back(std::move(difference));
  }
}

}  // namespace

StateView look_at(const waypoint::BranchPids& pids, waypoint::Network network) {
  StateView view;
  for (pid_t pid : waypoint::background_processes(
           {.init = pids.init, .shell = pids.shell, .holder = pids.holder})) {
    std::string line = os::command_line(pid);
    view.processes.insert(line.empty() ? os::process_name(pid) : line);
  }
  // On the host's network, the ports are not the branch's.
  for (const char* protocol : {"tcp", "tcp6", "udp", "udp6"}) {
    if (network == waypoint::Network::kHost) break;
    auto table = os::read_file(
        "/proc/" + std::to_string(pids.init) + "/net/" + std::string(protocol), kMaxTable);
    if (table) view.ports.merge(listening_ports(*table, protocol));
  }
  auto cwd = os::read_link("/proc/" + std::to_string(pids.shell) + "/cwd");
  if (cwd) view.cwd = *cwd;
  return view;
}

void compare_views(const StateView& from, const StateView& to, StateDiff& diff) {
  compare_sets(from.processes, to.processes, DiffSubject::kProcess, diff);
  compare_sets(from.ports, to.ports, DiffSubject::kPort, diff);
  if (from.environment && to.environment)
    compare_environments(*from.environment, *to.environment, diff);
  if (from.cwd != to.cwd)
    diff.differences.push_back({.subject = DiffSubject::kWorkingDirectory,
                                .name = "cwd",
                                .before = from.cwd,
                                .after = to.cwd});
}

}  // namespace sf::backends
