#include "engines/forks.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/scope_exit.h"
#include "os/cgroup.h"
#include "os/file.h"
#include "os/process.h"

namespace sf::bench {
namespace {

using waypoint::BranchId;
using waypoint::Waypoint;

constexpr std::size_t kForks = 50;
constexpr auto kTimeout = milliseconds(120'000);
constexpr double kMegabyte = 1U << 20U;

// Holds 256 MB of random bytes. On "near" it writes to every page of one megabyte, on "far" to as
// many pages, evenly spread.
constexpr const char* kHolder = R"(mkfifo /tmp/in /tmp/out; exec 8<>/tmp/in 9<>/tmp/out
cat > /tmp/holder.py <<'END'
import os, sys
held = bytearray(os.urandom(256 << 20))
print("up", flush=True)
for line in sys.stdin:
    step = 4096 if line == "near\n" else 1 << 20
    for at in range(0, 256 * step, step): held[at] ^= 255
    print("done", flush=True)
END
/usr/bin/python3 /tmp/holder.py <&8 >&9 8<&- 9<&- & read -r x <&9)";

std::uint64_t number_after(const std::string& path, const std::string& name) {
  auto text = os::read_file(path, 1U << 20U);
  std::size_t at = text ? text->find(name) : std::string::npos;
  return at == std::string::npos ? 0 : std::strtoull(text->c_str() + at + name.size(), nullptr, 10);
}

// Memory in use, in bytes: the host's available memory, and the amounts charged to the branches'
// processes and control groups.
struct Memory {
  double available;
  double processes;  // sum of Pss: shared pages count in part
  double groups;     // a shared page counts for the group that touched it first
};

Memory memory_of(const Waypoint& manager) {
  Memory all{static_cast<double>(number_after("/proc/meminfo", "MemAvailable:")) * 1024, 0, 0};
  const os::CgroupLayout layout = os::read_cgroup_layout();
  for (const waypoint::BranchInfo& branch : manager.branches()) {
    for (pid_t pid : os::process_tree(branch.keeper_pid))
      all.processes += static_cast<double>(number_after(
                           "/proc/" + std::to_string(pid) + "/smaps_rollup", "\nPss:")) *
                       1024;
    const std::string command =
        os::command_line(branch.keeper_pid);  // waypoint-keeper STORE ID ...
    const std::size_t id = command.find(" k-");
    if (id == std::string::npos) continue;
    os::Cgroup group =
        os::Cgroup::find(layout, command.substr(id + 1, command.find(' ', id + 1) - id - 1));
    for (const std::string& directory : group.directories())
      for (const char* file : {"/memory.current", "/memory.usage_in_bytes"})
        all.groups += static_cast<double>(number_after(directory + file, ""));
  }
  return all;
}

Status run(Waypoint& manager, const BranchId& branch, const std::string& command) {
  SF_TRY_ASSIGN(Observation ran, manager.exec(branch, {.command = command, .timeout = kTimeout}));
  if (ran.exit_code == 0 && !ran.timed_out) return Ok{};
  return fail(ErrorCode::kOs, "in a branch: " + command + "\n" + ran.output);
}

std::string rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0f", value);
  return text;
}

void add_row(Table& table, const std::string& what, microseconds took, const Memory& before,
             const Memory& now) {
  table.rows.push_back({what, rounded(static_cast<double>(took.count()) / 1000.0),
                        rounded((before.available - now.available) / kMegabyte),
                        rounded((now.processes - before.processes) / kMegabyte),
                        rounded((now.groups - before.groups) / kMegabyte)});
}

}  // namespace

Result<Table> measure_forks(Waypoint& manager) {
  ScopeExit end([&] {
    for (const waypoint::BranchInfo& each : manager.branches()) (void)manager.end(each.id);
    for (const waypoint::CheckpointInfo& each : manager.checkpoints())
      (void)manager.remove(each.id);
  });
  SF_TRY_ASSIGN(BranchId origin, manager.start({.engine = waypoint::EngineChoice::kNative}));
  SF_TRY(run(manager, origin, kHolder));
  SF_TRY_ASSIGN(waypoint::CheckpointInfo taken, manager.checkpoint(origin));

  Table table{.title = "50 forks of 256 MB, native: all of them, in ms and in MB more than before",
              .columns = {"step", "ms", "MemAvailable", "processes", "cgroups"},
              .rows = {},
              .remarks = {"fifty copies would be 12800 MB; near: 256 pages beside each other, far: "
                          "spread evenly over the 256 MB"}};
  const Memory before = memory_of(manager);
  Stopwatch watch;
  std::vector<BranchId> forks;
  for (auto& fork : manager.fork(taken.id, kForks)) {
    SF_TRY_ASSIGN(BranchId branch, std::move(fork));
    forks.push_back(branch);
  }
  add_row(table, "50 forks", watch.elapsed(), before, memory_of(manager));
  for (const std::string touch : {"near", "far"}) {
    watch = Stopwatch();
    for (const BranchId& fork : forks)
      SF_TRY(run(manager, fork, "echo " + touch + " >&8; read -r x <&9"));
    add_row(table, "each touches 1 MB, " + touch, watch.elapsed(), before, memory_of(manager));
  }
  return table;
}

}  // namespace sf::bench
