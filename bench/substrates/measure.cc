#include "substrates/measure.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "base/scope_exit.h"
#include "os/file.h"

namespace sf::bench {

using control::BranchHandle;
using control::Checkpoint;
using control::PhysicalRef;

namespace {

constexpr auto kCommandTime = std::chrono::minutes(5);

// One live session and the snapshots taken of it; all of it goes with this object.
class Session {
 public:
  static Result<std::unique_ptr<Session>> start(control::Backend& backend,
                                                const std::string& root) {
    control::StartConfig config{.root = root};
    if (backend.name() == "vm") config.memory_bytes = 2ULL << 30U;  // as the paper's machines
    SF_TRY_ASSIGN(BranchHandle handle, backend.start(config));
    return std::unique_ptr<Session>(new Session(backend, std::move(handle)));
  }
  ~Session() {
    (void)backend_.end(handle_);
    for (const PhysicalRef& ref : kept_) (void)backend_.remove(ref);
  }

  control::Backend& backend() { return backend_; }
  Result<control::Observation> exec(const std::string& command) {
    SF_TRY_ASSIGN(control::Observation seen,
                  backend_.exec(handle_, {.command = command, .timeout = kCommandTime}, {}));
    if (seen.exit_code == 0) return seen;
    return fail(ErrorCode::kOs, "\"" + command + "\" failed: " + seen.output);
  }
  Result<Checkpoint> snapshot() {
    SF_TRY_ASSIGN(Checkpoint taken, backend_.checkpoint(handle_));
    kept_.push_back(taken.ref);
    return taken;
  }
  // Until the next command has been answered.
  Result<double> timed_snapshot(std::uint64_t* bytes) {
    Stopwatch watch;
    SF_TRY_ASSIGN(Checkpoint taken, snapshot());
    SF_TRY(exec("true"));
    if (bytes != nullptr) *bytes = taken.bytes;
    return milliseconds_of(watch);
  }
  Result<double> timed_restore(const PhysicalRef& ref) {
    Stopwatch watch;
    SF_TRY_ASSIGN(BranchHandle fresh, backend_.restore(handle_, ref));
    BranchHandle old = std::exchange(handle_, std::move(fresh));
    Result<control::Observation> answered = exec("true");
    double taken = milliseconds_of(watch);
    SF_TRY(backend_.end(old));
    if (!answered) return std::move(answered).error();
    return taken;
  }
  void drop(const PhysicalRef& ref) {
    (void)backend_.remove(ref);
    std::erase(kept_, ref);
  }
  const std::vector<PhysicalRef>& kept() const { return kept_; }

 private:
  Session(control::Backend& backend, BranchHandle handle)
      : backend_(backend), handle_(std::move(handle)) {}
  static double milliseconds_of(const Stopwatch& watch) {
    return static_cast<double>(watch.elapsed().count()) / 1000;
  }

  control::Backend& backend_;
  BranchHandle handle_;
  std::vector<PhysicalRef> kept_;
};

std::string workload(State state, int megabytes) {
  const std::string size = std::to_string(megabytes);
  if (megabytes == 0) return "true";
  if (state == State::kFiles) return "head -c " + size + "M /dev/urandom >/root/workload && sync";
  return "python3 -c 'import time; held = b\"x\" * (" + size +
         " << 20); open(\"/root/ready\", \"w\").close(); time.sleep(1e9)' >/dev/null 2>&1 &\n"
         "until [ -e /root/ready ]; do sleep 0.02; done";
}

bool keeps(const control::Backend& backend, State state) {
  return backend.preserves().has(state == State::kFiles ? control::Preserves::kFiles
                                                        : control::Preserves::kMemory) &&
         backend.capabilities().physical_snapshots;
}

std::uint64_t available_memory() {
  auto text = os::read_file("/proc/meminfo");
  std::size_t at = text ? text->find("MemAvailable:") : std::string::npos;
  return at == std::string::npos ? 0 : std::strtoull(text->c_str() + at + 13, nullptr, 10) * 1024;
}

struct Runner {  // one backend in one part
  Point point;
  std::unique_ptr<Session> session;
  std::optional<PhysicalRef> base;
  std::optional<PhysicalRef> loaded;

  Status prepare(control::Backend& backend, const std::string& root) {
    SF_TRY_ASSIGN(session, Session::start(backend, root));
    SF_TRY_ASSIGN(Checkpoint first, session->snapshot());
    base = first.ref;
    SF_TRY(session->exec(workload(point.state, point.megabytes)));
    SF_TRY_ASSIGN(Checkpoint second, session->snapshot());
    loaded = second.ref;
    return Ok{};
  }
  Status round() {
    // A state that has changed: else one backend would find out that it has not, and be done.
    SF_TRY(session->exec("n=$((n + 1)); echo $n >/root/change"));
    SF_TRY_ASSIGN(double snapshot, session->timed_snapshot(&point.bytes_kept));
    point.snapshot_ms.push_back(snapshot);
    session->drop(session->kept().back());
    SF_TRY(session->timed_restore(*base));
    SF_TRY_ASSIGN(double restore, session->timed_restore(*loaded));
    point.restore_ms.push_back(restore);
    return Ok{};
  }
};

}  // namespace

std::vector<Point> measure_states(std::vector<Contender>& contenders, const Plan& plan,
                                  State state) {
  std::vector<Point> points;
  for (int size : plan.sizes) {
    std::vector<Runner> runners;
    auto give_up = [](Runner& runner, Status failed) {
      runner.point.failure = failed.error().describe();
      runner.session.reset();
    };
    for (Contender& each : contenders) {
      if (!keeps(*each.backend, state)) continue;
      Runner& runner = runners.emplace_back();
      runner.point = {.backend = each.name, .state = state, .megabytes = size};
      plan.progress(each.name + ": preparing " + std::to_string(size) + " MB");
      if (Status done = runner.prepare(*each.backend, plan.root); !done)
        give_up(runner, std::move(done));
    }
    for (int round = 0; round < plan.rounds; ++round) {
      plan.progress("round " + std::to_string(round + 1) + " of " + std::to_string(plan.rounds));
      // Each begins once: nobody always works in what the same one before has left to be written.
      for (std::size_t i = 0; i < runners.size(); ++i) {
        Runner& runner = runners[(i + static_cast<std::size_t>(round)) % runners.size()];
        if (!runner.session) continue;
        ::sync();
        if (Status done = runner.round(); !done) give_up(runner, std::move(done));
      }
    }
    for (Runner& runner : runners) points.push_back(std::move(runner.point));
  }
  return points;
}

std::vector<Tax> measure_taxes(std::vector<Contender>& contenders, const Plan& plan) {
  const std::pair<const char*, const char*> kWork[] = {
      {"200 x fork and exec", "for i in {1..200}; do /bin/true; done"},
      {"200 small files", "for i in {1..200}; do echo x >/root/f$i; done"},
      {"start of Python", "python3 -c pass"},
  };
  std::vector<Tax> taxes;
  std::vector<std::unique_ptr<Session>> sessions;
  for (Contender& each : contenders) {
    taxes.push_back({.backend = each.name});
    auto started = Session::start(*each.backend, plan.root);
    sessions.push_back(started ? std::move(*started) : nullptr);
  }
  for (int round = 0; round < plan.rounds; ++round) {
    plan.progress("commands, round " + std::to_string(round + 1));
    for (std::size_t i = 0; i < sessions.size(); ++i) {
      for (const auto& [name, command] : kWork) {
        if (!sessions[i]) continue;
        auto seen = sessions[i]->exec(command);
        if (seen) taxes[i].ms[name].push_back(static_cast<double>(seen->duration.count()) / 1000);
      }
    }
  }
  return taxes;
}

std::vector<Depth> measure_depths(std::vector<Contender>& contenders, const Plan& plan) {
  std::vector<Depth> depths;
  for (Contender& each : contenders) {
    if (!each.backend->capabilities().physical_snapshots || plan.depths.empty()) continue;
    Depth& depth = depths.emplace_back();
    depth.backend = each.name;
    plan.progress(each.name + ": a chain of " + std::to_string(plan.depths.back()));
    auto session = Session::start(*each.backend, plan.root);
    if (!session) {
      depth.failure = session.error().describe();
      continue;
    }
    for (int node = 1; node <= plan.depths.back(); ++node) {
      auto changed = (*session)->exec("echo " + std::to_string(node) + " >/root/node");
      Result<double> taken = changed ? (*session)->timed_snapshot(nullptr)
                                     : Result<double>(std::move(changed).error());
      if (!taken) {
        depth.failure = "node " + std::to_string(node) + ": " + taken.error().describe();
        break;
      }
      if (std::ranges::find(plan.depths, node) != plan.depths.end())
        depth.snapshot_ms[node] = *taken;
    }
  }
  return depths;
}

std::vector<Width> measure_widths(std::vector<Contender>& contenders, const Plan& plan) {
  std::vector<Width> widths;
  for (Contender& each : contenders) {
    if (!each.backend->capabilities().physical_snapshots) continue;
    Width& width = widths.emplace_back();
    width.backend = each.name;
    auto measure = [&]() -> Status {
      SF_TRY_ASSIGN(std::unique_ptr<Session> session, Session::start(*each.backend, plan.root));
      SF_TRY_ASSIGN(Checkpoint node, session->snapshot());
      for (int count : plan.widths) {
        plan.progress(each.name + ": " + std::to_string(count) + " forks");
        const std::uint64_t before = available_memory();
        Stopwatch watch;
        auto forks = each.backend->fork(node.ref, static_cast<std::size_t>(count));
        const double taken = static_cast<double>(watch.elapsed().count()) / 1000;
        const std::uint64_t after = available_memory();
        Status whole = Ok{};
        for (Result<BranchHandle>& fork : forks) {
          if (fork) {
            (void)each.backend->end(*fork);
          } else {
            whole = std::move(fork).error();
          }
        }
        SF_TRY(whole);
        width.all_ms[count] = taken;
        width.memory_bytes[count] =
            before > after ? static_cast<double>(before - after) / count : 0;
      }
      return Ok{};
    };
    if (Status done = measure(); !done) width.failure = done.error().describe();
  }
  return widths;
}

}  // namespace sf::bench
