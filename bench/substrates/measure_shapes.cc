// Measures deep chains of snapshots and wide fans of forks.
#include <algorithm>
#include <cstdlib>

#include "os/file.h"
#include "substrates/backend_session.h"
#include "substrates/measure.h"

namespace sf::bench {

using control::BranchHandle;
using control::Checkpoint;

namespace {

constexpr int kWindow = 5;                             // nodes averaged for each depth
constexpr std::uint64_t kMostKept = 16ULL << 30U;      // disk space per chain
constexpr std::uint64_t kMemoryToSpare = 4ULL << 30U;  // host memory to keep free

std::uint64_t available_memory() {
  auto text = os::read_file("/proc/meminfo");
  std::size_t at = text ? text->find("MemAvailable:") : std::string::npos;
  return at == std::string::npos ? 0 : std::strtoull(text->c_str() + at + 13, nullptr, 10) * 1024;
}

struct Chain {
  Depth depth;
  std::unique_ptr<BackendSession> session;
  std::uint64_t kept = 0;

  Status grow(int node, const std::vector<int>& depths) {
    if (kept > kMostKept) return fail(ErrorCode::kNoSpace, "its snapshots use more than 16 GB");
    SF_TRY(session->exec("echo " + std::to_string(node) + " >/root/node"));
    std::uint64_t bytes = 0;
    SF_TRY_ASSIGN(double taken, session->timed_snapshot(&bytes));
    kept += bytes;
    for (int wanted : depths) {
      if (node <= wanted && node > wanted - kWindow) depth.snapshot_ms[wanted].push_back(taken);
    }
    return Ok{};
  }
};

struct Fan {
  Width width;
  control::Backend* backend = nullptr;
  std::unique_ptr<BackendSession> session;
  control::PhysicalRef node;

  Status prepare(const std::string& root) {
    SF_TRY_ASSIGN(session, BackendSession::start(*backend, root));
    SF_TRY_ASSIGN(Checkpoint taken, session->snapshot());
    node = taken.ref;
    return Ok{};
  }
  // Estimates the memory of the forks from those made before.
  Status check_memory(int count) const {
    if (width.memory_bytes.empty()) return Ok{};
    const std::vector<double>& each = width.memory_bytes.rbegin()->second;
    const double needed = *std::ranges::max_element(each) * count;
    if (needed + kMemoryToSpare < static_cast<double>(available_memory())) return Ok{};
    return fail(ErrorCode::kNoSpace, "not enough memory for " + std::to_string(count) + " forks");
  }
  Status spread(int count) {
    SF_TRY(check_memory(count));
    const std::uint64_t before = available_memory();
    Stopwatch watch;
    auto forks = backend->fork(node, static_cast<std::size_t>(count));
    for (const Result<BranchHandle>& fork : forks) {
      if (fork) SF_TRY(backend->exec(*fork, {.command = "true"}, {}));
    }
    const double taken = milliseconds_of(watch);
    const std::uint64_t after = available_memory();
    Status whole = Ok{};
    for (Result<BranchHandle>& fork : forks) {
      if (fork) {
        (void)backend->end(*fork);
      } else {
        whole = std::move(fork).error();
      }
    }
    SF_TRY(whole);
    width.all_ms[count].push_back(taken);
    width.memory_bytes[count].push_back(before > after ? static_cast<double>(before - after) / count
                                                       : 0);
    return Ok{};
  }
};

}  // namespace

std::vector<Depth> measure_depths(std::vector<Contender>& contenders, const Plan& plan) {
  std::vector<Chain> chains;
  if (plan.depths.empty()) return {};
  for (Contender& each : contenders) {
    if (!each.backend->capabilities().physical_snapshots) continue;
    Chain& chain = chains.emplace_back();
    chain.depth.backend = each.name;
    auto started = BackendSession::start(*each.backend, plan.root);
    if (started) chain.session = std::move(*started);
    if (!started) chain.depth.failure = started.error().describe();
  }
  for (int node = 1; node <= plan.depths.back(); ++node) {
    if (node % 10 == 0) plan.progress("chains: node " + std::to_string(node));
    for (Chain& chain : chains) {
      if (!chain.session) continue;
      if (Status grown = chain.grow(node, plan.depths); !grown) {
        chain.depth.failure = "node " + std::to_string(node) + ": " + grown.error().describe();
        chain.session.reset();
      }
    }
  }
  std::vector<Depth> depths;
  for (Chain& chain : chains) depths.push_back(std::move(chain.depth));
  return depths;
}

std::vector<Width> measure_widths(std::vector<Contender>& contenders, const Plan& plan) {
  std::vector<Fan> fans;
  auto give_up = [](Fan& fan, const Status& failed) {
    fan.width.failure = failed.error().describe();
    fan.session.reset();
  };
  for (Contender& each : contenders) {
    if (!each.backend->capabilities().physical_snapshots) continue;
    Fan& fan = fans.emplace_back();
    fan.width.backend = each.name;
    fan.backend = each.backend.get();
    if (Status done = fan.prepare(plan.root); !done) give_up(fan, done);
  }
  for (int count : plan.widths) {
    for (int round = 0; round < std::min(plan.rounds, 3); ++round) {
      for (Fan& fan : fans) {
        if (!fan.session) continue;
        plan.progress(fan.width.backend + ": " + std::to_string(count) + " forks");
        if (Status done = fan.spread(count); !done) give_up(fan, done);
      }
    }
  }
  std::vector<Width> widths;
  for (Fan& fan : fans) widths.push_back(std::move(fan.width));
  return widths;
}

}  // namespace sf::bench
