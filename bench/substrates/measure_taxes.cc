// Measures the same commands inside each backend and directly on the host.
#include <cstdlib>

#include "base/split.h"
#include "os/run_program.h"
#include "substrates/backend_session.h"
#include "substrates/measure.h"
#include "testing/temp_dir.h"

namespace sf::bench {
namespace {

constexpr std::pair<const char*, const char*> kWork[] = {
    {"200 x fork and exec", "for i in {1..200}; do /bin/true; done"},
    {"200 small files", "for i in {1..200}; do echo x >/root/f$i; done"},
    {"start of Python", "python3 -c pass"},
};

// Uses the shell's own clock, which excludes the time to reach the shell.
std::string timed(const std::string& work) {
  return "began=$EPOCHREALTIME; " + work + "; echo $began $EPOCHREALTIME";
}

Result<double> time_of(const std::string& printed) {
  std::vector<std::string> times = split(printed, ' ');
  if (times.size() != 2) return fail(ErrorCode::kCorrupt, "not two times: " + printed);
  return (std::strtod(times[1].c_str(), nullptr) - std::strtod(times[0].c_str(), nullptr)) * 1000;
}

// The same root without a backend: a shell of the host with a writable directory of its own.
Result<double> beside(const std::string& root, const std::string& work, const std::string& home) {
  SF_TRY_ASSIGN(
      os::ProgramOutput done,
      os::run_program({"/usr/bin/unshare", "--mount", "sh", "-c",
                       "mount --bind \"$2\" \"$1/root\" && mount --rbind /dev \"$1/dev\" && exec "
                       "chroot \"$1\" bash -c \"$3\"",
                       "sh", root, home, timed(work)},
                      Deadline::after(std::chrono::minutes(5))));
  if (!done.succeeded()) return fail(ErrorCode::kOs, "beside all backends: " + done.text);
  return time_of(done.text);
}

}  // namespace

std::vector<Tax> measure_taxes(std::vector<Contender>& contenders, const Plan& plan) {
  test::TempDir home("sf-bench");
  std::vector<Tax> taxes = {{.backend = "(no backend)"}};
  std::vector<std::unique_ptr<BackendSession>> sessions;
  for (Contender& each : contenders) {
    taxes.push_back({.backend = each.name});
    auto started = BackendSession::start(*each.backend, plan.root);
    if (!started) taxes.back().failure = started.error().describe();
    sessions.push_back(started ? std::move(*started) : nullptr);
  }
  for (int round = 0; round < plan.rounds; ++round) {
    plan.progress("commands, round " + std::to_string(round + 1));
    for (const auto& [name, work] : kWork) {
      auto note = [&](Tax& tax, const Result<double>& ms) {
        if (ms) tax.ms[name].push_back(*ms);
        if (!ms) tax.failure = ms.error().describe();
      };
      note(taxes[0], beside(plan.root, work, home.path()));
      for (std::size_t i = 0; i < sessions.size(); ++i) {
        if (!sessions[i]) continue;
        auto seen = sessions[i]->exec(timed(work));
        note(taxes[i + 1], seen ? time_of(seen->output) : std::move(seen).error());
      }
    }
  }
  return taxes;
}

}  // namespace sf::bench
