#include <unistd.h>

#include <optional>

#include "substrates/backend_session.h"
#include "substrates/measure.h"

namespace sf::bench {

using control::Checkpoint;
using control::PhysicalRef;

namespace {

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

struct Runner {  // one backend in one part of the benchmark
  Point point;
  std::unique_ptr<BackendSession> session;
  std::optional<PhysicalRef> base;
  std::optional<PhysicalRef> loaded;

  Status prepare(control::Backend& backend, const std::string& root) {
    SF_TRY_ASSIGN(session, BackendSession::start(backend, root));
    SF_TRY_ASSIGN(Checkpoint first, session->snapshot());
    base = first.ref;
    SF_TRY(session->exec(workload(point.state, point.megabytes)));
    SF_TRY_ASSIGN(Checkpoint second, session->snapshot());
    loaded = second.ref;
    return Ok{};
  }
  Status round() {
    // Change the state, because a backend may skip the snapshot of an unchanged one.
    SF_TRY(session->exec("n=$((n + 1)); echo $n >/root/change"));
    SF_TRY_ASSIGN(double snapshot, session->timed_snapshot(&point.bytes_kept));
    point.snapshot_ms.push_back(snapshot);
    session->drop(session->kept().back());
    SF_TRY_ASSIGN(double to_base, session->timed_restore(*base));
    point.to_base_ms.push_back(to_base);
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
      // Rotate the order, so that a backend does not always follow the same one and its pending
      // writes.
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

}  // namespace sf::bench
